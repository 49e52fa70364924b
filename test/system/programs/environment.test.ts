import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { createAwsNetwork } from '../../lab/aws-network.ts';
import type { Namespace } from '../../lab/network/namespace.ts';
import { requires } from '../../lab/requires.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { ask, requestsOf } from './provider.ts';

const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app';
const api = 'api.ecr.us-west-2.amazonaws.com';
const noTrustedAuthorities = { SSL_CERT_FILE: '/dev/null' };

await t.test('what the environment can set, and what it cannot', requires(await namespaceSupport()), async (t) => {
  const network = await createAwsNetwork({ regions: ['us-west-2', 'us-east-1'], ipVersions: [4, 6] });
  t.teardown(() => network.stop());
  const { namespace, aws, authorityFile } = network;
  t.beforeEach(() => aws.reset());
  const apiHosts = async (): Promise<readonly string[]> =>
    (await aws.requests()).filter(({ service }) => service !== 'imds').map(({ host }) => host);

  const trusted: ReadonlyArray<readonly [name: string, env: Readonly<Record<string, string>>]> = [
    ['SSL_CERT_FILE names the authority', { SSL_CERT_FILE: authorityFile }],
    ['SSL_CERT_DIR names the hashed directory', { SSL_CERT_DIR: '/etc/ssl/certs' }],
    ['AWS_CA_BUNDLE names the authority', { ...noTrustedAuthorities, AWS_CA_BUNDLE: authorityFile }],
  ];
  for (const [name, env] of trusted) {
    await t.test(`trusted: ${name}`, async (t) => {
      t.equal((await ask(namespace, { image, env })).code, 0);
    });
  }

  await t.test('AWS_CA_BUNDLE replaces all other trusted certificates', async (t) => {
    const { stderr } = await ask(namespace, { image, env: { AWS_CA_BUNDLE: '/etc/ssl/certs/nobody.pem' } });
    t.match(stderr, /\/etc\/ssl\/certs\/nobody\.pem, named by AWS_CA_BUNDLE .*, holds no certificate/);
  });

  const nodeVariables: ReadonlyArray<Readonly<Record<string, string>>> = [
    { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    { NODE_EXTRA_CA_CERTS: authorityFile },
    { NODE_OPTIONS: '--use-system-ca --tls-cipher-list=nothing' },
    { NODE_USE_SYSTEM_CA: '1' },
  ];
  for (const env of nodeVariables) {
    await t.test(`${Object.keys(env).join()} adds no trusted certificate`, async (t) => {
      const { code, stderr } = await ask(namespace, { image, env: { ...noTrustedAuthorities, ...env } });
      t.equal(code, 1);
      t.match(stderr, /signed by an authority that this node does not trust/);
      t.strictSame(await apiHosts(), [], 'nothing was sent');
    });
  }

  await t.test('NODE_DEBUG prints nothing that is sent', async (t) => {
    const { code, stderr } = await ask(namespace, { image, env: { NODE_DEBUG: 'http,https,tls,net,stream' } });
    t.equal(code, 0);
    t.equal(stderr, '');
  });

  await t.test('-v prints the steps and no secret', async (t) => {
    const { stderr, code } = await ask(namespace, { image, args: ['-v', '1'] });
    t.equal(code, 0);
    t.match(stderr, /ecr:GetAuthorizationToken at api\.ecr\.us-west-2\.amazonaws\.com as the instance's role/);
  });

  const endpoints: ReadonlyArray<readonly [env: Readonly<Record<string, string>>, host: string]> = [
    [{ AWS_USE_FIPS_ENDPOINT: 'true' }, 'ecr-fips.us-west-2.amazonaws.com'],
    [{ AWS_USE_DUALSTACK_ENDPOINT: 'true' }, 'ecr.us-west-2.api.aws'],
    [{ AWS_USE_FIPS_ENDPOINT: 'true', AWS_USE_DUALSTACK_ENDPOINT: 'true' }, 'ecr-fips.us-west-2.api.aws'],
    [{ AWS_ENDPOINT_URL: 'https://ecr.us-west-2.amazonaws.com' }, 'ecr.us-west-2.amazonaws.com'],
    [{ AWS_ENDPOINT_URL_ECR: 'https://ecr.us-west-2.amazonaws.com' }, 'ecr.us-west-2.amazonaws.com'],
    [{ AWS_ENDPOINT_URL: 'https://nobody.example', AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }, api],
  ];
  for (const [env, host] of endpoints) {
    await t.test(`${JSON.stringify(env)} uses ${host}`, async (t) => {
      t.equal((await ask(namespace, { image, env })).code, 0);
      t.strictSame(await apiHosts(), [host]);
    });
  }

  await t.test('an invalid endpoint is a failure', async (t) => {
    const { stderr } = await ask(namespace, { image, env: { AWS_ENDPOINT_URL_ECR: 'localhost:4566' } });
    t.match(stderr, /there is no API endpoint for logins to .* check AWS_ENDPOINT_URL/);
    t.strictSame(await requestsOf(network), []);
  });

  await t.test('the metadata service over IPv6, if it is set', async (t) => {
    t.equal((await ask(namespace, { image, env: { AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: 'IPv6' } })).code, 0);
    t.match(await requestsOf(network), [/^PUT \[fd00:ec2::254\] /]);
  });

  await t.test('the metadata service disabled', async (t) => {
    const { stderr } = await ask(namespace, { image, env: { AWS_EC2_METADATA_DISABLED: 'true' } });
    t.match(stderr, /no AWS credentials, and AWS_EC2_METADATA_DISABLED is set/);
    t.strictSame(await requestsOf(network), []);
  });

  await t.test('a proxy is used for the API and never for metadata', async (t) => {
    const proxy = await startProxy(namespace, 'serve');
    const env = { HTTPS_PROXY: proxy.address, HTTP_PROXY: proxy.address };
    t.equal((await ask(namespace, { image, env })).code, 0);
    t.strictSame(await proxy.stop(), [`CONNECT ${api}:443`]);
  });

  await t.test('NO_PROXY exempts by suffix', async (t) => {
    const proxy = await startProxy(namespace, 'serve');
    const env = { HTTPS_PROXY: proxy.address, NO_PROXY: '10.0.0.0/8,.amazonaws.com' };
    t.equal((await ask(namespace, { image, env })).code, 0);
    t.strictSame(await proxy.stop(), []);
  });

  await t.test('a failure at the proxy names the proxy', async (t) => {
    const proxy = await startProxy(namespace, 'refuse');
    const { stderr } = await ask(namespace, { image, env: { https_proxy: proxy.address } });
    t.ok(stderr.includes(`the proxy ${proxy.address} (HTTPS_PROXY): it did not let the request through`), stderr);
    t.match(stderr, /check HTTPS_PROXY and NO_PROXY/);
    t.equal((await proxy.stop()).length, 4, 'it may be passing, so it is tried again');
  });
});

interface Proxy {
  readonly address: string;
  /** The requests that it got. */
  stop(): Promise<readonly string[]>;
}

async function startProxy(namespace: Namespace, mode: 'serve' | 'refuse'): Promise<Proxy> {
  const file = fileURLToPath(new URL('../../lab/network/connect-proxy.ts', import.meta.url));
  const child = namespace.start(process.execPath, [file, mode], {});
  const lines = createInterface(child.stdout);
  const asked: string[] = [];
  const [first] = (await once(lines, 'line')) as [string];
  lines.on('line', (line: string) => void asked.push(line));
  return {
    address: `http://127.0.0.1:${first.split(' ')[1] ?? ''}`,
    stop: async () => {
      child.stdin.end();
      await once(lines, 'close');
      return asked;
    },
  };
}
