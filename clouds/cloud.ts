import type { Context } from '../lib/context.ts';
import type { Environment } from '../lib/environment.ts';
import type { Failure } from '../lib/failure.ts';
import type { Host } from '../lib/host.ts';
import type { NodeIdentity, IdentityToken } from '../lib/registry-login/node-identity.ts';
import type { Identity, ImageRegistry, KubeletHints, Login, Registry } from '../lib/registry-login/registry.ts';
import type { NodeFacts, NodeUid } from '../lib/node/facts.ts';
import type { Instance } from '../lib/node/instance.ts';

export type {
  Context,
  Environment,
  Identity,
  ImageRegistry,
  Instance,
  KubeletHints,
  Login,
  NodeFacts,
  NodeUid,
  IdentityToken,
  Registry,
};

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

/** What an instance can learn about itself, on itself. */
export interface InstanceMetadata {
  /** Is this a machine of this cloud? `unknown`: it could not be found out. Never throws. */
  detect(context: Context): Promise<'yes' | 'no' | 'unknown'>;
  /** For its Node, whose kubelet may have been told which of its addresses to use. */
  describe(node: NodeFacts, context: Context): Promise<Instance>;
}

/** The cloud's instances, for the controller that keeps Nodes true to them. */
export interface Instances {
  /**
   * Whether a node is this cloud's, and then where to ask: one scope by its providerID, several for a node without one.
   * Pure. `undefined`: not ours.
   */
  scopesOf(node: NodeFacts): readonly Scope[] | undefined;
  readonly batchMax: number;
  /** One finding for every node asked, whatever happens to its neighbours; throws only if nothing was learnt. */
  lookUp(scope: Scope, nodes: readonly NodeFacts[], context: Context): Promise<ReadonlyMap<NodeUid, LookupResult>>;
  /** Do credentials and endpoint of this scope still see its account? Asked when no Ready node is left to ask for. */
  verifyAccess(scope: Scope, context: Context): Promise<boolean>;
}

/** One account and place: the unit of batches, token bucket, back-off, canaries and breaker. */
export interface Scope {
  readonly cloud: string;
  /** Unique among all scopes, and safe in metrics: no secret, no account id. */
  readonly key: string;
}

/** What was learnt of one node's instance. Left out of an answer is `unknown`, never `gone`. */
export type LookupResult =
  | { readonly is: 'present'; readonly instance: Instance; readonly running: boolean }
  /** Said of exactly this id, in the cloud's own words. */
  | { readonly is: 'gone'; readonly word: 'terminated' | 'not-found'; readonly evidence: string }
  | { readonly is: 'ambiguous'; readonly candidates: readonly string[] }
  | { readonly is: 'unknown'; readonly failure: Failure };

/** What a cloud is built from, once; `config` is its part of our configuration, already validated. */
export interface CloudSettings<Config> {
  readonly env: Environment;
  readonly host: Host;
  readonly config: Config;
}
