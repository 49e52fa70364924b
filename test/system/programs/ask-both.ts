import type { Namespace } from '../../lab/network/namespace.ts';
import { ask, callMethods } from './provider.ts';
import type { ProviderOutcome, ProviderCall } from './provider.ts';

/** The part that has to be the same from both: passwords and remaining lives of logins differ. */
export interface Comparable {
  readonly code: number | null;
  readonly stderr: string;
  readonly cacheKeyType: string | undefined;
  readonly cacheSeconds: boolean;
  readonly usernames: readonly (readonly [key: string, username: string])[];
}

/** Asks the full program, then front end and broker. */
export async function askBoth(
  namespace: Namespace,
  request: ProviderCall,
): Promise<{ readonly alone: Comparable; readonly throughFrontEnd: Comparable }> {
  const alone = comparable(await ask(namespace, request, callMethods.fullProgram));
  return { alone, throughFrontEnd: comparable(await ask(namespace, request, callMethods.frontEnd)) };
}

function comparable({ answer, code, stderr }: ProviderOutcome): Comparable {
  return {
    code,
    stderr,
    cacheKeyType: answer?.cacheKeyType,
    cacheSeconds: answer?.cacheDuration !== '0s',
    usernames: Object.entries(answer?.auth ?? {}).map(([key, { username }]) => [key, username]),
  };
}
