import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostArchitecture } from '../../../build/architecture.ts';
import { imageObstacle } from '../../../build/images/debian-files.ts';
import { makeImages } from '../../../build/images/make-images.ts';
import type { Support } from '../requires.ts';

export interface ProgramImages {
  /** OCI archives, named as the chart asks for them. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

export function imageSupport(): Support {
  const reason = imageObstacle();
  return reason === undefined ? { available: true } : { available: false, reason };
}

/** The images of the chart as `npm run build -- --images` makes them, of the executables that are in dist. */
export async function programImages(names: readonly string[]): Promise<ProgramImages> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-images-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true });
  const options = { architectures: [hostArchitecture()], commit: 'test', workDirectory: join(directory, 'work') };
  try {
    return { files: await makeImages({ ...options, directory, names, log: () => undefined }), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
