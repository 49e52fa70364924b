import type { Random } from '../../../support/random.ts';
import { secretText, word } from '../../generated/odd-values.ts';
import { poolProvider, serviceAccount } from '../../generated/roles.ts';

/** Contents of files, right as they are; secrets have the marker. */

export function inventory(random: Random): object {
  const machines = Array.from({ length: random.between(0, 4) }, (_, index) => ({
    name: `${word(random)}-${index}`,
    ...(random.chance(0.5) && {
      systemUuid: `${random.characters('0123456789abcdef', 8)}-0000-4000-8000-${random.characters('0123456789abcdef', 12)}`,
    }),
    ...(random.chance(0.5) && { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] }),
    ...(random.chance(0.5) && { zone: word(random), region: word(random) }),
    ...(random.chance(0.2) && { labels: { [`example.com/${word(random)}`]: word(random) } }),
    ...(random.chance(0.2) && { retired: true }),
  }));
  return { machines };
}

export function kubeconfig(random: Random): object {
  const base64 = Buffer.from(secretText(random, '', 60)).toString('base64');
  const user = random.pick<object>([
    { token: secretText(random, '', 80) },
    { 'client-certificate-data': base64, 'client-key-data': base64 },
    { 'client-certificate': '/etc/lab/cert', 'client-key': '/etc/lab/key' },
    { tokenFile: '/etc/lab/token' },
    { username: 'user', password: secretText(random, '', 30) },
    {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: 'aws',
        args: ['eks', 'get-token'],
        interactiveMode: 'Never',
      },
    },
  ]);
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'lab',
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'lab' } }],
    clusters: [
      {
        name: 'lab',
        cluster: {
          server: 'https://10.0.0.1:6443',
          ...(random.chance(0.5) && { 'certificate-authority': '/etc/lab/ca' }),
        },
      },
    ],
    users: [{ name: 'lab', user }],
  };
}

export function googleCredentials(random: Random): object {
  const secret = secretText(random, '', 60);
  const url = `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${serviceAccount}:generateAccessToken`;
  const user = { type: 'authorized_user', client_id: 'id', client_secret: secret, refresh_token: secret };
  return random.pick<object>([
    { type: 'service_account', client_email: serviceAccount, private_key: secret, private_key_id: 'key' },
    user,
    {
      type: 'external_account',
      audience: `//iam.googleapis.com/${poolProvider}`,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      credential_source: random.chance(0.5) ? { file: '/etc/lab/token' } : { url: 'http://10.0.0.1/token' },
      ...(random.chance(0.5) && { service_account_impersonation_url: url }),
    },
    { type: 'impersonated_service_account', service_account_impersonation_url: url, source_credentials: user },
  ]);
}
