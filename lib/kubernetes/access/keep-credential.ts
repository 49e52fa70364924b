import type { Clock } from '../../clock.ts';
import type { ExecCredential } from './exec-credential.ts';

export interface KeptCredential {
  /** The last one until it ends; whoever asks while a new one is made waits for that. */
  current(): Promise<ExecCredential>;
  forget(): void;
}

/** Early enough that no request carries a credential that ends on the way. */
const renewAheadMs = 10_000;

export function keepCredential(run: () => Promise<ExecCredential>, clock: Clock): KeptCredential {
  let running: Promise<ExecCredential> | undefined;
  let kept: ExecCredential | undefined;
  const begin = async (): Promise<ExecCredential> => {
    try {
      kept = await run();
      return kept;
    } finally {
      running = undefined;
    }
  };
  return {
    current: async () => {
      if (kept !== undefined && lasts(kept, clock)) return kept;
      running ??= begin();
      return running;
    },
    forget: () => {
      kept = undefined;
    },
  };
}

function lasts({ expiresAtMs }: ExecCredential, clock: Clock): boolean {
  return expiresAtMs === undefined || clock.wallMs() < expiresAtMs - renewAheadMs;
}
