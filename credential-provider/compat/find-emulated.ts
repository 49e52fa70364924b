import { basename } from 'node:path';
import { emulatedProviderNames } from '../../schemas/emulated-providers.ts';
import type { EmulatedProviderName } from '../../schemas/emulated-providers.ts';
import type { EmulatedProvider } from './emulated-provider.ts';

const loaders: Readonly<Record<EmulatedProviderName, () => Promise<EmulatedProvider>>> = {
  'ecr-credential-provider': async () => (await import('./ecr.ts')).ecr,
  'acr-credential-provider': async () => (await import('./acr.ts')).acr,
  'auth-provider-gcp': async () => (await import('./gcp.ts')).gcp,
};

/** The provider to emulate for the name that we were started by. `undefined`: none. */
export function findEmulatedProvider(argv0: string): (() => Promise<EmulatedProvider>) | undefined {
  const started = basename(argv0);
  const name = emulatedProviderNames.find((each) => each === started);
  return name && loaders[name];
}
