import { basename } from 'node:path';
import type { EmulatedProvider } from './emulated-provider.ts';

const loaders: Readonly<Record<string, () => Promise<EmulatedProvider>>> = {
  'ecr-credential-provider': async () => (await import('./ecr.ts')).ecr,
  'acr-credential-provider': async () => (await import('./acr.ts')).acr,
  'auth-provider-gcp': async () => (await import('./gcp.ts')).gcp,
};

/** The provider to emulate for the name that we were started by. `undefined`: none. */
export function findEmulatedProvider(argv0: string): (() => Promise<EmulatedProvider>) | undefined {
  const name = basename(argv0);
  return Object.hasOwn(loaders, name) ? loaders[name] : undefined;
}
