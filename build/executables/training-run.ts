import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One run of the program through the code that matters for its start. */
export interface TrainingRun {
  readonly args: readonly string[];
  /** Written to its standard input. */
  readonly request?: Readonly<Record<string, unknown>>;
  /** Sets up what the run needs. */
  readonly environment?: () => Promise<TrainingEnvironment>;
}

/** What was set up for one run, and what the run gets for it, in addition to its own arguments and request. */
export interface TrainingEnvironment {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly request?: Readonly<Record<string, unknown>>;
  stop(): Promise<void>;
}

const config = `
registries:
  - match: mirror.example
    as: 123456789012.dkr.ecr.us-west-2.amazonaws.com
`;

/** A configuration file, so that the code that reads it is compiled too. */
export async function writeConfigFile(): Promise<TrainingEnvironment> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-training-'));
  const file = join(directory, 'config.yaml');
  await writeFile(file, config);
  return { args: ['--config', file], stop: () => rm(directory, { recursive: true }) };
}
