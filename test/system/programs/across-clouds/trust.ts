import { generateKeyPairSync } from 'node:crypto';
import type { AwsState, Role } from '../../../lab/clouds/aws/state.ts';
import { exchangeAudience, labTenant, objectIdOf, systemIdentity } from '../../../lab/clouds/azure/state.ts';
import type { AzureState } from '../../../lab/clouds/azure/state.ts';
import type { FederatedName, StateOf } from '../../../lab/clouds/embedded.ts';
import { nodeAccount, pull } from '../../../lab/clouds/gcp/state.ts';
import type { GcpState } from '../../../lab/clouds/gcp/state.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import type { PublicKey } from '../../../lab/clouds/signed-token.ts';
import { createTokenSigner } from '../../../lab/clouds/token-signer.ts';

export type Clouds = { readonly [Name in FederatedName]: LabCloud<StateOf<Name>> };

/** The issuers of node identity tokens: the clouds, and a cluster on premises. */
const awsIssuer = 'https://0c7f.tokens.sts.global.api.aws';
const entraIssuer = `https://sts.windows.net/${labTenant}/`;
const googleIssuer = 'https://accounts.google.com';
const homeIssuer = 'https://oidc.home.example';
const home = createTokenSigner('RS256');
const homeSubject = 'system:serviceaccount:kube-system:node';

/** A token of the cluster on premises, as in its file on the node. */
export function homeToken(audience: string): string {
  const nowS = Math.floor(Date.now() / 1000);
  return home.sign({ iss: homeIssuer, sub: homeSubject, aud: audience, iat: nowS, exp: nowS + 3600 });
}

/** The trust that the examples in docs/examples require in each cloud; `entraKeys` are the keys that Entra publishes. */
export async function establishTrust({ aws, azure, gcp }: Clouds, entraKeys: readonly PublicKey[]): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signing = { ...privateKey.export({ format: 'jwk' }), kid: 'aws-1' };
  const { identityKeys, serviceAccounts } = await gcp.state();
  const googleSubject = serviceAccounts[nodeAccount]?.uniqueId ?? '';
  const keysOf: Keys = {
    [awsIssuer]: [{ ...publicKey.export({ format: 'jwk' }), kid: 'aws-1' }],
    [entraIssuer]: entraKeys,
    [googleIssuer]: identityKeys,
    [homeIssuer]: [home.publicKey],
  };
  await aws.update({ outbound: { issuer: awsIssuer, key: signing }, ...awsTrust(keysOf, googleSubject) });
  await azure.update(await azureTrust(azure, keysOf, googleSubject));
  await gcp.update(gcpTrust(keysOf));
}

type Keys = Readonly<Record<string, readonly PublicKey[]>>;

const nodeRole = 'arn:aws:iam::123456789012:role/lab-node';

function awsTrust(keysOf: Keys, googleSubject: string): Pick<AwsState, 'roles' | 'issuers'> {
  const role = (name: string, more: Partial<Role>): Record<string, Role> => ({
    [name]: {
      id: `AROALAB${name}`,
      permissions: ['ecr:GetAuthorizationToken'],
      trustedArns: [],
      webIdentities: [],
      ...more,
    },
  });
  const trusting = (issuer: string, subject: string) => ({ webIdentities: [{ issuer, subjects: [subject] }] });
  return {
    roles: {
      ...role('nodes-of-azure', trusting(entraIssuer, objectIdOf(systemIdentity))),
      ...role('nodes-of-google', trusting(googleIssuer, googleSubject)),
      ...role('nodes-at-home', trusting(homeIssuer, homeSubject)),
      ...role('pull-for-others', { accountId: '210987654321', trustedArns: [nodeRole] }),
    },
    issuers: {
      [entraIssuer]: { audiences: ['api://polycloud-nodes'], keys: keysOf[entraIssuer] ?? [] },
      [googleIssuer]: { audiences: ['sts.amazonaws.com'], keys: keysOf[googleIssuer] ?? [] },
      [homeIssuer]: { audiences: ['sts.amazonaws.com'], keys: keysOf[homeIssuer] ?? [] },
    },
  };
}

const partnerTenant = '22222222-2222-2222-2222-222222222222';
const partnerApplication = '33333333-3333-3333-3333-333333333333';
const otherIdentity = '44444444-4444-4444-4444-444444444444';

async function azureTrust(azure: LabCloud<AzureState>, keysOf: Keys, googleSubject: string) {
  const { audiences, principals, registries } = await azure.state();
  const known = principals[systemIdentity];
  const own = registries['acme.azurecr.io'];
  if (known === undefined || own === undefined) throw new Error('the embedded Azure has changed');
  const audience = exchangeAudience;
  const federations = [
    { issuer: awsIssuer, subject: nodeRole, audience },
    { issuer: googleIssuer, subject: googleSubject, audience },
    { issuer: homeIssuer, subject: homeSubject, audience },
    { issuer: `https://login.microsoftonline.com/${labTenant}/v2.0`, subject: objectIdOf(systemIdentity), audience },
  ];
  const partner = {
    ...known,
    kind: 'application' as const,
    onMachine: false,
    tenantId: partnerTenant,
    objectId: 'partner',
    federations,
  };
  const others = [awsIssuer, googleIssuer, homeIssuer].map(
    (issuer) => [issuer, { keys: keysOf[issuer] ?? [] }] as const,
  );
  return {
    audiences: [...audiences, 'api://polycloud-nodes'],
    principals: {
      [partnerApplication]: partner,
      [otherIdentity]: { ...known, kind: 'user' as const, objectId: 'other' },
    },
    issuers: Object.fromEntries(others),
    registries: {
      'partner.azurecr.io': { tenantId: partnerTenant, pullers: ['partner'] },
      'team.azurecr.io': { ...own, pullers: ['other'] },
    },
  };
}

const pool = 'projects/123456789/locations/global/workloadIdentityPools/nodes';
const puller = 'puller@lab-project.iam.gserviceaccount.com';

function gcpTrust(keysOf: Keys): Pick<GcpState, 'providers' | 'principals' | 'serviceAccounts'> {
  const principalPrefix = `principal://iam.googleapis.com/${pool}/subject/`;
  const provider = (name: string, issuer: string, audience: string) => ({
    [`//iam.googleapis.com/${pool}/providers/${name}`]: {
      principalPrefix,
      issuer,
      audiences: [audience],
      keys: keysOf[issuer] ?? [],
    },
  });
  const members = [nodeRole, objectIdOf(systemIdentity)].map((subject) => `${principalPrefix}${subject}`);
  return {
    providers: {
      ...provider('aws', awsIssuer, `https://iam.googleapis.com/${pool}/providers/aws`),
      ...provider('azure', entraIssuer, 'api://polycloud-nodes'),
      ...provider('home', homeIssuer, `https://iam.googleapis.com/${pool}/providers/home`),
    },
    principals: { [`${principalPrefix}${homeSubject}`]: { permissions: [pull] } },
    serviceAccounts: {
      [puller]: {
        uniqueId: '101000000000000000009',
        disabled: false,
        keys: [],
        permissions: [pull],
        tokenCreators: [...members, `serviceAccount:${nodeAccount}`],
      },
    },
  };
}
