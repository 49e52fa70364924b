import type { Environment } from '../../lib/environment.ts';
import { readArguments } from '../drop-in/arguments.ts';
import { dropInCalled } from '../drop-in/by-name.ts';
import type { Setting } from '../drop-in/drop-in.ts';
import type { World } from '../world.ts';
import type { KubeletCall } from './entry.ts';
import { flagOf } from './kubelet.ts';

/** With what we are called, and in whose place. */
export interface Called {
  readonly env: Environment;
  readonly configFile?: string;
  readonly setting?: Setting;
}

/** As the program of that name would understand the call. */
export async function understand(
  { name, args, env }: KubeletCall,
  { host, openHttp }: Pick<World, 'host' | 'openHttp'>,
): Promise<Called> {
  const dropIn = await dropInCalled(name)?.();
  if (dropIn === undefined) {
    const configFile = flagOf(args, '--config');
    return { env, ...(configFile !== undefined && { configFile }) };
  }
  const setting = await dropIn.read(readArguments(dropIn, args), { env, host, openHttp });
  return { env: setting.env, setting };
}
