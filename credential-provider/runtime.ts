import type { CloudEntry, CloudRuntime as CloudWorld } from '../clouds/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Host } from '../lib/host.ts';
import type { Http } from '../lib/http/http.ts';
import type { HttpSettings } from '../lib/http/create-http.ts';
import type { CompatMode } from './compat/emulated-provider.ts';

export const programName = 'polycloud-credential-provider';

/** The kubelet kills us after 60 s and then nobody learns why; so we say it ourselves in time. */
export const requestTimeoutMs = 50_000;

/** Everything outside the program. */
export interface ProviderRuntime {
  readonly env: CloudWorld['env'];
  readonly host: Host;
  readonly clock: Clock;
  readonly random: () => number;
  readonly clouds: readonly CloudEntry[];
  openHttp(settings: HttpSettings): Http;
  /** Steps, as they happen; only asked for with -v. */
  writeStep(line: string): void;
}

export interface Input {
  readonly request: string;
  readonly configFile?: string;
  /** Absent: we answer as ourselves. */
  readonly compatMode?: CompatMode;
  readonly verbosity: number;
  /** On the monotonic clock. */
  readonly startedAtMs: number;
}

/** What is known while a request is being answered. */
export interface Progress {
  /** Values that must not be seen, as far as they are known. */
  readonly secrets: string[];
  readonly notes: string[];
  readonly end: AbortController;
  /** What was last begun or failed. */
  lastStep: string;
}
