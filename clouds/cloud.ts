import type { Clock } from '../lib/clock.ts';
import type { Failure } from '../lib/failure.ts';
import type { Host } from '../lib/host.ts';
import type { Http } from '../lib/http/http.ts';
import type { ImageReference } from '../lib/image-reference.ts';
import type { Log } from '../lib/log.ts';
import type { Instance } from '../lib/node/instance.ts';
import type { Secret } from '../lib/secret.ts';

export type { Instance };

/**
 * One cloud. A capability that is absent is one this cloud does not offer. A cloud only reports: what to believe,
 * when to act and how often to ask is decided in the programs.
 */
export interface Cloud {
  /** Also the folder's name and what users write in flags and configuration. */
  readonly name: string;
  readonly registry?: ImageRegistry;
  readonly identity?: NodeIdentity;
  readonly metadata?: InstanceMetadata;
  readonly instances?: Instances;
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
  /**
   * The node. `select` picks one of several, in the cloud's own terms: a profile, a client id, an e-mail address.
   * `role`, if any, names what it takes on from there, by the same keys as for a token.
   */
  | { readonly kind: 'node'; readonly select?: string; readonly role?: Readonly<Record<string, string>> }
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

/** A signed token that says to others which node, or which role of it, this is. */
export interface NodeIdentity {
  prove(audience: string, select: string | undefined, context: Context): Promise<Proof>;
}

export interface Proof {
  readonly token: Secret;
  readonly expiresAtMs: number;
}

/** What an instance can learn about itself, on itself. */
export interface InstanceMetadata {
  /** Is this a machine of this cloud? `unknown`: it could not be found out. Never throws. */
  isHere(context: Context): Promise<'yes' | 'no' | 'unknown'>;
  describe(context: Context): Promise<Instance>;
}

/** The cloud's instances, for the controller that keeps Nodes true to them. */
export interface Instances {
  /**
   * Whether a node is this cloud's, and then where to ask: one scope by its providerID, several for a node without one.
   * Pure. `undefined`: not ours.
   */
  route(node: NodeFacts): readonly Scope[] | undefined;
  readonly batchMax: number;
  /** One finding for every node asked, whatever happens to its neighbours; throws only if nothing was learnt. */
  look(scope: Scope, nodes: readonly NodeFacts[], context: Context): Promise<ReadonlyMap<NodeUid, Finding>>;
  /** Do credentials and endpoint of this scope still see its account? Asked when no Ready node is left to ask for. */
  vouch(scope: Scope, context: Context): Promise<boolean>;
}

/** One account and place: the unit of batches, token bucket, back-off, canaries and breaker. */
export interface Scope {
  readonly cloud: string;
  /** Unique among all scopes, and safe in metrics: no secret, no account id. */
  readonly key: string;
}

/** A Node's UID. The name may come back with another machine behind it; the UID does not. */
export type NodeUid = string;

export interface NodeFacts {
  readonly uid: NodeUid;
  readonly name: string;
  readonly providerId?: string;
  readonly systemUuid?: string;
  readonly nodeIps: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** What was learnt of one node's instance. Left out of an answer is `unknown`, never `gone`. */
export type Finding =
  | { readonly is: 'present'; readonly instance: Instance; readonly running: boolean }
  /** Said of exactly this id, in the cloud's own words. */
  | { readonly is: 'gone'; readonly word: 'terminated' | 'not-found'; readonly quote: string }
  | { readonly is: 'ambiguous'; readonly candidates: readonly string[] }
  | { readonly is: 'unknown'; readonly failure: Failure };

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
