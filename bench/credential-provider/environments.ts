import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCloudNetwork } from '../../test/lab/cloud-network.ts';
import { awsSite } from '../../test/lab/clouds/aws/site.ts';
import { azureSite } from '../../test/lab/clouds/azure/site.ts';
import { labTenant } from '../../test/lab/clouds/azure/state.ts';
import { gcpSite } from '../../test/lab/clouds/gcp/site.ts';
import { labIssuer, podAccount, providerName, pullerSubject } from '../../test/lab/clouds/gcp/state.ts';
import type { GcpState } from '../../test/lab/clouds/gcp/state.ts';
import type { LabCloud } from '../../test/lab/clouds/lab-cloud.ts';
import type { RecordedRequest } from '../../test/lab/clouds/request-log.ts';
import { createTokenSigner } from '../../test/lab/clouds/token-signer.ts';
import type { Namespace } from '../../test/lab/network/namespace.ts';
import type { SubjectSpec } from './subjects.ts';

export type BenchCloudName = 'aws' | 'azure' | 'gcp';

/** A node of one cloud, and what is asked on it. */
export interface BenchEnvironment {
  readonly namespace: Namespace;
  readonly entries: readonly SubjectSpec[];
  /** The names that lead out of the node. */
  readonly farHosts: readonly string[];
  requests(): Promise<readonly RecordedRequest[]>;
  stop(): Promise<void>;
}

export const overHttp = 'ECR over HTTP';
export const overHttps = 'ECR over HTTPS';
export const acr = 'ACR over HTTPS';
export const artifactRegistry = 'Artifact Registry, instance';
export const artifactRegistryPod = 'Artifact Registry, pod over HTTPS';
export const ecrPeer = 'ecr-credential-provider';
const acrPeer = 'acr-credential-provider';

/** Files go into the directory. */
export const environments: Readonly<Record<BenchCloudName, (directory: string) => Promise<BenchEnvironment>>> = {
  aws: awsEnvironment,
  azure: azureEnvironment,
  gcp: gcpEnvironment,
};

const ecrHost = 'api.ecr.us-west-2.amazonaws.com';

async function awsEnvironment(): Promise<BenchEnvironment> {
  const site = awsSite(['us-west-2']);
  // At its address without TLS too.
  const plain = site.services.filter(({ service }) => service === 'ecr').map((ecr) => ({ ...ecr, tls: false }));
  const sites = [{ ...site, services: [...site.services, ...plain] }];
  const { namespace, clouds, stop } = await createCloudNetwork({ sites, machineOf: 'aws', ipVersions: [4] });
  const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/app:1';
  const env = { AWS_ENDPOINT_URL_ECR: `http://${ecrHost}` };
  return {
    namespace,
    stop,
    requests: clouds.aws.requests,
    farHosts: [ecrHost],
    entries: [
      { name: overHttp, program: 'ours', image, env, protocol: 'HTTP' },
      { name: overHttps, program: 'ours', image, protocol: 'HTTPS' },
      { name: `${ecrPeer}, HTTP`, program: ecrPeer, image, env, protocol: 'HTTP' },
      { name: ecrPeer, program: ecrPeer, image, protocol: 'HTTPS' },
    ],
  };
}

async function azureEnvironment(directory: string): Promise<BenchEnvironment> {
  const sites = [azureSite(['acme.azurecr.io'], [])];
  const { namespace, clouds, stop } = await createCloudNetwork({ sites, machineOf: 'azure', ipVersions: [4] });
  const file = join(directory, 'azure.json');
  const settings = { cloud: 'AzurePublicCloud', tenantId: labTenant, useManagedIdentityExtension: true };
  await writeFile(file, JSON.stringify(settings));
  const image = 'acme.azurecr.io/app:1';
  return {
    namespace,
    stop,
    requests: clouds.azure.requests,
    farHosts: ['acme.azurecr.io', 'login.microsoftonline.com'],
    entries: [
      { name: acr, program: 'ours', image, protocol: 'HTTPS' },
      { name: acrPeer, program: acrPeer, image, args: [file], protocol: 'HTTPS' },
    ],
  };
}

async function gcpEnvironment(): Promise<BenchEnvironment> {
  const sites = [gcpSite('googleapis.com')];
  const { namespace, clouds, stop } = await createCloudNetwork({ sites, machineOf: 'gcp', ipVersions: [4] });
  const image = 'us-west1-docker.pkg.dev/project/repository/app:1';
  const pod = { token: await podToken(clouds.gcp), annotations: { 'iam.gke.io/gcp-service-account': podAccount } };
  return {
    namespace,
    stop,
    requests: clouds.gcp.requests,
    farHosts: ['sts.googleapis.com', 'iamcredentials.googleapis.com'],
    entries: [
      { name: artifactRegistry, program: 'ours', image, protocol: 'HTTPS' },
      { name: artifactRegistryPod, program: 'ours', image, ...pod, protocol: 'HTTPS' },
    ],
  };
}

const tokenLifeS = 3_600;

/** The lab's pool lets its holder in, and the account of the pod may be taken on by it. */
async function podToken(gcp: LabCloud<GcpState>): Promise<string> {
  const signer = createTokenSigner('ES256');
  const name = `//iam.googleapis.com/${providerName}`;
  const provider = (await gcp.state()).providers[name];
  if (provider === undefined) throw new Error(`the embedded Google has no ${name}`);
  await gcp.update({ providers: { [name]: { ...provider, keys: [signer.publicKey] } } });
  const exp = Math.ceil(Date.now() / 1_000) + tokenLifeS;
  return signer.sign({ iss: labIssuer, aud: [name], sub: pullerSubject, exp });
}
