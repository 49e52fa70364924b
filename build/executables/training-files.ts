import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TrainingEnvironment } from './programs.ts';

const config = `
registries:
  - match: mirror.example
    as: 123456789012.dkr.ecr.us-west-2.amazonaws.com
`;

/** A configuration file, so that reading one is remembered too. */
export async function writeConfigFile(): Promise<TrainingEnvironment> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-training-'));
  const file = join(directory, 'config.yaml');
  await writeFile(file, config);
  return { args: ['--config', file], stop: () => rm(directory, { recursive: true }) };
}
