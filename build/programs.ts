import { startAws } from './training-clouds.ts';

/** The programs that become executables, and what each is made to do once so that V8 remembers it compiled. */
export interface Program {
  readonly name: string;
  readonly main: string;
  readonly trainingRuns: readonly TrainingRun[];
}

/** One run of the program by the very path that matters for its start. */
export interface TrainingRun {
  readonly args: readonly string[];
  readonly stdin: string;
  /** What the run needs around it, and the variables that lead there. */
  readonly surroundings?: () => Promise<Surroundings>;
}

const versionRun: TrainingRun = { args: ['--version'], stdin: '' };

export interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export const programs: readonly Program[] = [
  {
    name: 'polycloud-credential-provider',
    main: 'credential-provider/main.ts',
    trainingRuns: [
      versionRun,
      requestRun('registry.example/app:1'),
      { ...requestRun('123456789012.dkr.ecr.us-west-2.amazonaws.com/app:1'), surroundings: startAws },
    ],
  },
  { name: 'polycloud-node-agent', main: 'node-agent/main.ts', trainingRuns: [versionRun] },
  { name: 'polycloud-ccm', main: 'ccm/main.ts', trainingRuns: [versionRun] },
];

function requestRun(image: string): TrainingRun {
  const apiVersion = 'credentialprovider.kubelet.k8s.io/v1';
  return { args: [], stdin: JSON.stringify({ apiVersion, kind: 'CredentialProviderRequest', image }) };
}
