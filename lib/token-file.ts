import { Failure } from './failure.ts';
import type { Host } from './host.ts';
import { Secret } from './secret.ts';

/** The token in a file, without the white space around it. It is read anew each time: such files are rotated. */
export async function readTokenFile(path: string, host: Pick<Host, 'readText'>, remedy: string): Promise<Secret> {
  const token = (await host.readText(path))?.trim();
  if (token) return new Secret(token);
  throw new Failure('misconfigured', `there is no token in ${path}`, { remedy });
}
