import type { Clock } from '../lib/clock.ts';
import type { Host } from '../lib/host.ts';
import type { Http } from '../lib/http/http.ts';
import type { ImageReference } from '../lib/image-reference.ts';
import type { Log } from '../lib/log.ts';
import type { Secret } from '../lib/secret.ts';

/**
 * One cloud. A capability that is absent is one this cloud does not offer. A cloud only reports: what to believe,
 * when to act and how often to ask is decided in the programs.
 */
export interface Cloud {
  /** Also the folder's name and what users write in flags and configuration. */
  readonly name: string;
  readonly registry?: ImageRegistry;
}

export interface ImageRegistry {
  /** `undefined`: not one of ours. Pure: no I/O, no clock. */
  match(image: ImageReference): Registry | undefined;
  /** Throws a `Failure` when there is no login, whatever the reason. */
  logIn(registry: Registry, as: Identity, context: Context): Promise<Login>;
}

/** Where an image's registry is, and where to ask for its login. */
export interface Registry {
  /** The cloud's word for the kind of registry, e.g. `ecr-public`. */
  readonly kind: string;
  /** What the login is good for, as the kubelet matches it: `host[:port][/path]`. */
  readonly authKey: string;
  /** What of the cloud's configuration matched, in the cloud's own words. */
  readonly entry?: string;
  /** Does one login serve every image below the host? If not, it is this image's alone. */
  readonly servesWholeHost: boolean;
  readonly region?: string;
  /** Where the login is asked for; absent when nobody is asked. */
  readonly endpoint?: URL;
}

/** Who asks. An identity never turns into another one by itself. */
export type Identity =
  /** The node. `select` picks one of several, in the cloud's own terms: a profile, a client id, an e-mail address. */
  | { readonly kind: 'node'; readonly select?: string }
  /** Whoever holds this signed token; `role` holds the annotations that may name the role to take on. */
  | { readonly kind: 'token'; readonly token: Secret; readonly role: Readonly<Record<string, string>> };

export interface Login {
  readonly username: string;
  readonly password: Secret;
  /** By this node's clock. Absent: the cloud did not say, so nobody may keep it. */
  readonly expiresAtMs?: number;
  /** Is the login void as soon as the token that earned it is? */
  readonly endsWithToken: boolean;
}

/** The outside world, as much of it as one call may use. */
export interface Context {
  readonly signal: AbortSignal;
  /** On the monotonic clock. A wait that would end later is not begun. */
  readonly deadlineAtMs: number;
  readonly http: Http;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to below 1, for jitter. */
  readonly random: () => number;
}

/** What a cloud is built from, once; `config` is its part of our configuration, already validated. */
export interface CloudSettings<Config> {
  readonly env: Environment;
  readonly host: Host;
  readonly config: Config;
}

export type Environment = Readonly<Record<string, string | undefined>>;
