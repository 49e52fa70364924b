import type { CloudEntry, CloudRuntime } from '../clouds/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Host } from '../lib/host.ts';
import type { Http } from '../lib/http/http.ts';
import type { HttpSettings } from '../lib/http/create-http.ts';
import type { Redactor } from '../lib/registry-login/redactor.ts';
import type { CompatMode } from './compat/emulated-provider.ts';

export const programName = 'polycloud-credential-provider';

/** The kubelet kills a provider after 60 s and discards its output, so we fail before that, with a reason. */
export const requestTimeoutMs = 50_000;

/** Everything outside the program. */
export interface ProviderRuntime {
  readonly env: CloudRuntime['env'];
  readonly host: Host;
  readonly clock: Clock;
  readonly random: () => number;
  readonly clouds: readonly CloudEntry[];
  openHttp(settings: HttpSettings): Http;
  /** Writes the steps of a login as they happen; called only with -v. */
  writeStep(line: string): void;
}

export interface Input {
  readonly request: string;
  readonly configFile?: string;
  /** Present: an upstream provider is emulated. */
  readonly compatMode?: CompatMode;
  readonly verbosity: number;
  /** On the monotonic clock. */
  readonly startedAtMs: number;
}

/** What is known about one request while it is processed. */
export interface Progress {
  readonly redactor: Redactor;
  readonly notes: string[];
  readonly end: AbortController;
  /** The last step that began or failed. */
  lastStep: string;
}
