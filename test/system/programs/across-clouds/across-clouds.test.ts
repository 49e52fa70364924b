import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../../../build/project.ts';
import { createCloudNetwork } from '../../../lab/cloud-network.ts';
import { awsSite } from '../../../lab/clouds/aws/site.ts';
import { azureSite } from '../../../lab/clouds/azure/site.ts';
import { gcpSite } from '../../../lab/clouds/gcp/site.ts';
import { requires } from '../../../lab/requires.ts';
import { namespaceSupport } from '../../../lab/network/support.ts';
import { ask } from '../provider.ts';
import { entraKeys, isAccepted } from './accepted-login.ts';
import { establishTrust, homeToken } from './trust.ts';

const ecr = '123456789012.dkr.ecr.us-west-2.amazonaws.com';
const acr = 'partner.azurecr.io';
const artifacts = 'europe-west1-docker.pkg.dev';

const homePool =
  'https://iam.googleapis.com/projects/123456789/locations/global/workloadIdentityPools/nodes/providers/home';

interface FederationCase {
  readonly from: 'aws' | 'azure' | 'gcp' | 'nobody';
  /** A file of docs/examples. */
  readonly example: string;
  readonly hosts: readonly string[];
}

const federationCases: readonly FederationCase[] = [
  { from: 'aws', example: 'aws-cross-account', hosts: ['210987654321.dkr.ecr.us-west-2.amazonaws.com'] },
  { from: 'aws', example: 'aws-node-to-azure-and-google', hosts: [acr, artifacts, ecr] },
  { from: 'azure', example: 'azure-other-tenant', hosts: [acr] },
  { from: 'azure', example: 'azure-node-to-aws-and-google', hosts: [ecr, artifacts] },
  { from: 'gcp', example: 'gcp-impersonation', hosts: [artifacts] },
  { from: 'gcp', example: 'google-node-to-aws-and-azure', hosts: [ecr, acr, artifacts] },
  { from: 'nobody', example: 'on-premises-federation', hosts: [ecr, acr, artifacts] },
  { from: 'aws', example: 'pull-through-cache', hosts: ['images.example.com', 'mirror.example.com:8443/docker-hub'] },
  { from: 'gcp', example: 'pull-through-cache', hosts: ['google.example.com'] },
  { from: 'azure', example: 'several-identities', hosts: ['team.azurecr.io'] },
  { from: 'gcp', example: 'several-identities', hosts: [artifacts] },
];

for (const from of ['aws', 'azure', 'gcp', 'nobody'] as const) {
  await t.test(`a node of ${from}`, requires(await namespaceSupport()), async (t) => {
    const sites = [awsSite(['us-west-2']), azureSite([acr, 'team.azurecr.io'], []), gcpSite('googleapis.com')];
    const network = await createCloudNetwork({ sites, machineOf: from, ipVersions: [4] });
    const directory = await mkdtemp(join(tmpdir(), 'polycloud-across-'));
    t.teardown(async () => {
      await network.stop();
      await rm(directory, { recursive: true });
    });
    const { namespace, clouds } = network;
    await establishTrust(clouds, await entraKeys(namespace));
    for (const { example, hosts } of federationCases.filter((journey) => journey.from === from)) {
      const config = await prepareExample(example, directory);
      for (const host of hosts) {
        await t.test(`${example}.yaml: ${host}`, async (t) => {
          const { answer, stderr } = await ask(namespace, { image: `${host}/team/app`, args: ['--config', config] });
          t.equal(stderr, '');
          t.equal(Object.keys(answer?.auth ?? {})[0], host.split('/team')[0]);
          t.ok(await isAccepted(Object.values(answer?.auth ?? {})[0], clouds), 'the registry would let it in');
        });
      }
    }
  });
}

/** Its files are below a directory of the test. */
async function prepareExample(name: string, directory: string): Promise<string> {
  const text = await readFile(join(projectDirectory, 'docs/examples', `${name}.yaml`), 'utf8');
  const home = { token: 'sts.amazonaws.com', 'token-azure': 'api://AzureADTokenExchange', 'token-google': homePool };
  for (const [file, audience] of Object.entries(home)) {
    await writeFile(join(directory, file), `${homeToken(audience)}\n`);
  }
  const path = join(directory, `${name}.yaml`);
  await writeFile(path, text.replaceAll('/run/polycloud/', `${directory}/`));
  return path;
}
