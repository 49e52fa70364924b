import { startAzure, startAzureForPod, startAzureWithSecret } from '../../test/lab/clouds/azure/training.ts';
import { startAws, startAwsForPod, startAwsWithFile } from '../../test/lab/clouds/aws/training.ts';
import { startDigitalocean } from '../../test/lab/clouds/digitalocean/training.ts';
import { writeConfigFile } from './training-run.ts';
import type { TrainingRun } from './training-run.ts';
import { startGcp, startGcpForPod, startGcpWithKey } from '../../test/lab/clouds/gcp/training.ts';

/** A program that becomes an executable, and the training runs that fill its code cache. */
export interface Program {
  readonly name: string;
  readonly main: string;
  /** In addition to the shared flags of `single-executable.ts`. */
  readonly nodeFlags: readonly string[];
  readonly trainingRuns: readonly TrainingRun[];
}

const versionRun: TrainingRun = { args: ['--version'] };
const privateImage = '123456789012.dkr.ecr.us-west-2.amazonaws.com/app:1';
const publicImage = 'public.ecr.aws/library/app:1';
const googleImage = 'us-west1-docker.pkg.dev/project/repository/app:1';
const azureImage = 'acme.azurecr.io/app:1';
const digitaloceanImage = 'registry.digitalocean.com/lab-registry/app:1';
const unmatchedImage = 'registry.example/app:1';

export const programs: readonly Program[] = [
  {
    name: 'polycloud-credential-provider',
    main: 'credential-provider/main.ts',
    // It ends before garbage matters: a response for ECR produces 3 MB. A larger young generation takes longer to set up.
    nodeFlags: ['--min-semi-space-size=8', '--max-semi-space-size=16'],
    // Together they load every chunk that a response can need, see `bundle.ts`.
    trainingRuns: [
      versionRun,
      trainingRequest(unmatchedImage),
      trainingRequest(unmatchedImage, writeConfigFile),
      trainingRequest(privateImage, startAws),
      trainingRequest(publicImage, startAwsWithFile),
      trainingRequest(privateImage, startAwsForPod),
      trainingRequest(azureImage, startAzure),
      trainingRequest(azureImage, startAzureForPod),
      trainingRequest(azureImage, startAzureWithSecret),
      trainingRequest(googleImage, startGcp),
      trainingRequest(googleImage, startGcpForPod),
      trainingRequest(googleImage, startGcpWithKey),
      trainingRequest(digitaloceanImage, startDigitalocean),
    ],
  },
  {
    name: 'polycloud-node-agent',
    main: 'node-agent/main.ts',
    // It has little work, on every node, and V8 never returns the memory of a grown young generation. The second flag is for
    // the logins of many pods at once, which are garbage soon: without it the heap grew to more than 100 MB. The third one
    // is V8's trade of speed for memory: no compiled code and no feedback for it, 7 MB less after some thousand polls.
    nodeFlags: ['--max-semi-space-size=1', '--heap-growing-percent=30', '--lite-mode'],
    trainingRuns: [versionRun],
  },
  {
    name: 'polycloud-ccm',
    main: 'ccm/main.ts',
    // Lists of thousands of Nodes are garbage soon: V8 would keep a large young generation for them, and let the old one grow
    // to five times the live objects before it collects. 2 MB are enough for the writes that are under way at once: with 1
    // MB, they were moved to the old generation and cost a fifth of the CPU time there. The second flag costs each start 7
    // ms, since V8 then rejects the code cache of Node's own modules; a controller seldom starts.
    nodeFlags: ['--max-semi-space-size=2', '--heap-growing-percent=50'],
    trainingRuns: [versionRun],
  },
];

function trainingRequest(image: string, environment?: TrainingRun['environment']): TrainingRun {
  const apiVersion = 'credentialprovider.kubelet.k8s.io/v1';
  const request = { apiVersion, kind: 'CredentialProviderRequest', image };
  return { args: [], request, ...(environment && { environment }) };
}
