import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectDirectory } from '../../../../build/project.ts';
import { createCloudNetwork } from '../../../lab/cloud-network.ts';
import type { CloudNetwork } from '../../../lab/cloud-network.ts';
import { awsSite } from '../../../lab/clouds/aws/site.ts';
import { azureSite } from '../../../lab/clouds/azure/site.ts';
import type { FederatedName } from '../../../lab/clouds/embedded.ts';
import { gcpSite } from '../../../lab/clouds/gcp/site.ts';
import type { RegistryName } from '../../../support/cells.ts';
import { entraKeys } from '../across-clouds/accepted-login.ts';
import { establishTrust, homeToken } from '../across-clouds/trust.ts';
import type { Clouds } from '../across-clouds/trust.ts';
import { homeAudiences, nodeConfiguration } from './configuration.ts';
import type { NodeHome } from './configuration.ts';

/** A machine of one cloud, or of none, from which every registry can be reached, and where all clouds trust each other. */
export interface CellFixture extends Pick<CloudNetwork<FederatedName>, 'namespace' | 'clouds'> {
  readonly configFile: string;
  /** The example for stored logins, with its files there. */
  readonly storedConfigFile: string;
  stop(): Promise<void>;
}

export const storedLogin = { username: 'robot', password: 'LABSECRETstored' };

export async function openCellFixture(home: NodeHome): Promise<CellFixture> {
  const sites = [
    awsSite(['us-west-2', 'us-east-1']),
    azureSite(['acme.azurecr.io', 'partner.azurecr.io'], []),
    gcpSite('googleapis.com'),
  ];
  const network = await createCloudNetwork({ sites, machineOf: home, ipVersions: [4] });
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-cells-'));
  const { namespace, clouds } = network;
  await establishTrust(clouds, await entraKeys(namespace));
  await allowPulls(clouds);
  const files = {
    'registry/username': storedLogin.username,
    'registry/password': storedLogin.password,
    'docker-config.json': '{}',
    'static-logins.yaml': await exampleIn(directory),
    ...Object.fromEntries(Object.entries(homeAudiences).map(([name, audience]) => [name, homeToken(audience)])),
    'config.yaml': JSON.stringify(nodeConfiguration(home, directory)),
  };
  await mkdir(join(directory, 'registry'));
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(directory, name), text)));
  return {
    namespace,
    clouds,
    configFile: join(directory, 'config.yaml'),
    storedConfigFile: join(directory, 'static-logins.yaml'),
    stop: async () => {
      await network.stop();
      await rm(directory, { recursive: true });
    },
  };
}

async function exampleIn(directory: string): Promise<string> {
  const text = await readFile(join(projectDirectory, 'docs/examples/static-logins.yaml'), 'utf8');
  return text.replaceAll('/etc/polycloud/', `${directory}/`);
}

const pullPermissions = ['ecr:GetAuthorizationToken', 'ecr-public:GetAuthorizationToken', 'sts:GetServiceBearerToken'];

/** From ECR Public too, and by the role of the example's pods, who are as trusted as nodes at home. */
async function allowPulls({ aws }: Clouds): Promise<void> {
  const { roles } = await aws.state();
  const all = Object.entries(roles).map(([name, role]) => [
    name,
    { ...role, permissions: [...role.permissions, ...pullPermissions] },
  ]);
  const known = Object.fromEntries(all) as typeof roles;
  const atHome = known['nodes-at-home'];
  if (atHome === undefined) throw new Error('nobody at home is trusted');
  await aws.update({ roles: { ...known, app: { ...atHome, id: 'AROALABapp' } } });
}

/** Under which name a node of that cloud asks for each registry. */
export function hostOf(registry: RegistryName, home: NodeHome): string {
  return registry === 'acr' && home === 'azure' ? 'acme.azurecr.io' : hosts[registry];
}

const hosts: Readonly<Record<RegistryName, string>> = {
  ecr: '123456789012.dkr.ecr.us-west-2.amazonaws.com',
  'ecr-public': 'public.ecr.aws',
  acr: 'partner.azurecr.io',
  gcr: 'gcr.io',
  'artifact-registry': 'europe-west1-docker.pkg.dev',
  docr: 'registry.digitalocean.com',
  static: 'registry.example.com',
};
