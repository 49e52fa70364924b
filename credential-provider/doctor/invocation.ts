import type { Environment } from '../../lib/environment.ts';
import { readArguments } from '../compat/arguments.ts';
import { findEmulatedProvider } from '../compat/find-emulated.ts';
import type { CompatMode } from '../compat/emulated-provider.ts';
import type { ProviderRuntime } from '../runtime.ts';
import type { KubeletCall } from './select-entry.ts';
import { flagOf } from './kubelet.ts';

/** With what we are called, and in whose place. */
export interface Invocation {
  readonly env: Environment;
  readonly configFile?: string;
  readonly compatMode?: CompatMode;
}

/** As the program of that name would understand the call. */
export async function resolveInvocation(
  { name, args, env }: KubeletCall,
  { host, openHttp }: Pick<ProviderRuntime, 'host' | 'openHttp'>,
): Promise<Invocation> {
  const provider = await findEmulatedProvider(name)?.();
  if (provider === undefined) {
    const configFile = flagOf(args, '--config');
    return { env, ...(configFile !== undefined && { configFile }) };
  }
  const compatMode = await provider.createMode(readArguments(provider, args), { env, host, openHttp });
  return { env: compatMode.env, compatMode };
}
