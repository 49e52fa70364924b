import { startAzure, startAzureForPod, startAzureWithSecret } from '../../test/lab/clouds/azure/training.ts';
import { startAws, startAwsForPod, startAwsWithFile } from '../../test/lab/clouds/aws/training.ts';
import { writeConfigFile } from './training-run.ts';
import type { TrainingRun } from './training-run.ts';
import { startGcp, startGcpForPod, startGcpWithKey } from '../../test/lab/clouds/gcp/training.ts';

/** The programs that become executables, and what each is made to do once so that V8 remembers it compiled. */
export interface Program {
  readonly name: string;
  readonly main: string;
  /** Besides those that all have, see `single-executable.ts`. */
  readonly nodeFlags: readonly string[];
  readonly trainingRuns: readonly TrainingRun[];
}

const versionRun: TrainingRun = { args: ['--version'] };
const privateImage = '123456789012.dkr.ecr.us-west-2.amazonaws.com/app:1';
const publicImage = 'public.ecr.aws/library/app:1';
const googleImage = 'us-west1-docker.pkg.dev/project/repository/app:1';
const azureImage = 'acme.azurecr.io/app:1';
const unmatchedImage = 'registry.example/app:1';

export const programs: readonly Program[] = [
  {
    name: 'polycloud-credential-provider',
    main: 'credential-provider/main.ts',
    // It has ended before the garbage would matter: an answer for ECR makes 3 MB of it. More room only takes longer to set up.
    nodeFlags: ['--min-semi-space-size=8', '--max-semi-space-size=16'],
    // Between them they load every piece that an answer can need, see `bundle.ts`.
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
    ],
  },
  {
    name: 'polycloud-node-agent',
    main: 'node-agent/main.ts',
    // It has little to do and all the time in the world, on every node: what the young space grows to is never given back. The
    // logins of many pods at once are garbage a moment later: without the second flag they grew it to more than 100 MB.
    nodeFlags: ['--max-semi-space-size=1', '--heap-growing-percent=30'],
    trainingRuns: [versionRun],
  },
  {
    name: 'polycloud-ccm',
    main: 'ccm/main.ts',
    // Lists of thousands of Nodes are garbage a moment later: a large young space would be kept for them for ever, and the old
    // one would grow to five times what is alive before it is looked through. The second flag costs each start 7 ms, since
    // V8 then refuses the code cache that Node brings of its own modules; a controller starts seldom.
    // 30 instead of 50 is 3 MB less at the peak with 1,000 new Nodes, for 6 % more processor time.
    nodeFlags: ['--max-semi-space-size=1', '--heap-growing-percent=50'],
    trainingRuns: [versionRun],
  },
];

function trainingRequest(image: string, environment?: TrainingRun['environment']): TrainingRun {
  const apiVersion = 'credentialprovider.kubelet.k8s.io/v1';
  const request = { apiVersion, kind: 'CredentialProviderRequest', image };
  return { args: [], request, ...(environment && { environment }) };
}
