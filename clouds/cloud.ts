import type { Config } from '../schemas/config.ts';
import type { KubeletHints } from '../schemas/kubelet-hints.ts';
import type { NodeAddress } from '../schemas/kubernetes.ts';
import type { VendorConfig, VendorReplacement } from '../schemas/vendor-config.ts';
import type { Context } from '../lib/context.ts';
import type { Environment } from '../lib/environment.ts';
import type { Failure } from '../lib/failure.ts';
import type { Host } from '../lib/host.ts';
import type { ImageReference } from '../lib/image-reference.ts';
import type { Secret } from '../lib/secret.ts';

/*
 * What a cloud is to the three programs: the whole interface, types only.
 *
 * A program picks clouds by their traits, which load no code of a cloud, and then calls `load` of those it needs, once:
 *
 *   credential provider, broker   registry.match(image) → registry.logIn(…); across clouds identity.issueToken(…) first
 *   node agent                    metadata.detect() → metadata.describe(…); notices.poll(…), for as long as it runs
 *   controller manager            instances.scopesOf(node) → instances.lookUp(scope, …) → instances.verifyAccess(scope)
 *                                 routes.tablesOf(node) → routes.list(table) → routes.apply(table, …)
 *
 * A capability that is absent is one that the cloud does not have. A cloud only reports. What to believe, when to act
 * and how often to ask is decided in the programs. A method reports what it could not find out: it throws a `Failure`
 * that names the target, the reason and the remedy, or it returns a result that holds one. It stops when
 * `context.signal` aborts, and it begins no wait that would end after `context.deadlineAtMs`.
 */

/** Data that other parts are selected or generated from, in `clouds/<name>/traits.ts`. To read it loads no cloud. */
export interface CloudTraits {
  /** The name of the folder, and the value of `--cloud-provider` and `--cloud`. */
  readonly name: string;
  /** Other names that the flags accept, e.g. `gce`. */
  readonly aliases: readonly string[];
  /** What the cloud offers with a complete configuration: the chart's values and the support table follow from it. */
  readonly capabilities: readonly Capability[];
  /** No example matches the pattern of another cloud. */
  readonly providerId: { readonly pattern: RegExp; readonly examples: readonly string[] };
  /** At least the hosts of `match` by default: the cloud is loaded first for them. Absent: only configured hosts. */
  readonly registryHosts?: RegExp;
  /** What a login may read of the host: environment variables by prefix, and files below the home directory. */
  readonly hostInputs: { readonly variablePrefixes: readonly string[]; readonly homeFiles: readonly string[] };
  /** Of the labels that the cloud sets on Nodes, beside those of Kubernetes. */
  readonly labelPrefixes: readonly string[];
  /** Hosts that look like its registries, genuine or not. An emulated provider never serves one as a mirror of another. */
  readonly lookAlikeHosts: readonly RegExp[];
  /** Configuration files of vendors' programs, so that an error can name what replaces them. */
  readonly vendorConfigs: readonly VendorConfig[];
}

/** One line of the list in `clouds/index.ts`. */
export interface CloudEntry extends CloudTraits {
  /** Imports the cloud's code only now: a program that serves one image loads one cloud. */
  load(runtime: CloudRuntime, config: Config): Promise<Cloud>;
  /** What replaces a file that `vendorConfigs` recognises. Throws a `Failure` that names the line if it is unreadable. */
  readonly replaceVendorConfig?: (text: string, file: string) => Promise<VendorReplacement>;
}

/** What a cloud may read of the host that the program runs on. */
export interface CloudRuntime {
  readonly env: Environment;
  readonly host: Host;
}

/** What a cloud is made from, once. `config` is its part of our configuration, already validated. */
export interface CloudSettings<CloudConfig> extends CloudRuntime {
  readonly config: CloudConfig;
}

export interface Cloud {
  readonly name: string;
  readonly registry?: ImageRegistry;
  readonly identity?: NodeIdentity;
  readonly metadata?: InstanceMetadata;
  readonly instances?: Instances;
  readonly notices?: Notices;
  readonly routes?: Routes;
}

export type Capability = Exclude<keyof Cloud, 'name'>;

/**
 * A login for an image. The caller asks each cloud whether the image is in one of its registries, chooses the identity
 * from the request and the configuration, and then asks for the login.
 */
export interface ImageRegistry {
  /** `undefined`: not a registry of this cloud. Pure: no I/O, no clock. */
  match(image: ImageReference): Registry | undefined;
  /** Throws a `Failure` if there is no login, for whatever reason. Never uses an identity other than the given one. */
  logIn(registry: Registry, identity: Identity, context: Context): Promise<Login>;
  /** Pure. Absent: the registries are known from the configuration alone. */
  kubeletHints?(): KubeletHints;
}

/** The registry of an image, and where to ask for its login. */
export interface Registry {
  /** The cloud's name for the kind of registry, e.g. `ecr-public`. */
  readonly kind: string;
  /** What the login is valid for, as the kubelet matches it: `host[:port][/path]`. */
  readonly authKey: string;
  /** What of the cloud's configuration matched, in a form that only the cloud reads. */
  readonly entry?: string;
  /** Is one login valid for every image of the host? If not, it is valid for this image only. */
  readonly servesWholeHost: boolean;
  readonly region?: string;
  /** Where the login is requested; absent if no request is needed. */
  readonly endpoint?: URL;
}

/** Who logs in. */
export type Identity =
  /**
   * The node. `select` picks one of its several identities, in the cloud's own terms: a profile, a client id, an e-mail
   * address. `role`, if present, names the role that the identity assumes, with the same keys as for a token.
   */
  | { readonly kind: 'node'; readonly select?: string; readonly role?: Readonly<Record<string, string>> }
  /** The holder of this signed token. `role` holds the annotations that may name the role to assume. */
  | { readonly kind: 'token'; readonly token: Secret; readonly role: Readonly<Record<string, string>> };

export interface Login {
  readonly username: string;
  readonly password: Secret;
  /** By this node's clock. Absent: the cloud gave no expiry, so the login must not be cached. */
  readonly expiresAtMs?: number;
  /** Does the login become invalid when the token that it was issued for does? */
  readonly endsWithToken: boolean;
}

/**
 * Across clouds, the node's cloud issues a token for the audience that the registry's cloud expects. The registry's
 * cloud then treats it as it treats a pod's token, as an `Identity` of kind `token`.
 */
export interface NodeIdentity {
  /** `select` as in `Identity`. */
  issueToken(audience: string, select: string | undefined, context: Context): Promise<IdentityToken>;
}

/** A signed token that tells others which node, or which role of it, this is. */
export interface IdentityToken {
  readonly token: Secret;
  readonly expiresAtMs: number;
}

/** The agent asks the metadata service of its own machine. It needs no cloud credentials. */
export interface InstanceMetadata {
  /** Is this a machine of this cloud? `unknown`: it could not be found out. Never throws. */
  detect(context: Context): Promise<'yes' | 'no' | 'unknown'>;
  /** This machine, for its Node, whose kubelet may be configured with one of its addresses. */
  describe(node: NodeFacts, context: Context): Promise<Instance>;
}

/** An instance, the same whether it was read from the cloud's API or from the instance's own metadata. */
export interface Instance {
  readonly providerId: string;
  /** The immutable id, where the providerID is only a name that another instance can get later. */
  readonly instanceId?: string;
  readonly type?: string;
  readonly region?: string;
  readonly zone?: string;
  /** In order of preference. */
  readonly addresses: readonly NodeAddress[];
  /** Further labels of the location: rack, zone id, network layers. */
  readonly labels: Readonly<Record<string, string>>;
  /** Parts that could not be read now. The Node keeps what it has of them, and they are read again within 10 s at first. */
  readonly unread?: readonly UnreadPart[];
}

export type UnreadPart = 'external-addresses' | 'labels';

/** What a cloud may know of a Node. */
export interface NodeFacts {
  readonly uid: NodeUid;
  readonly name: string;
  readonly providerId?: string;
  /** The `instanceId` of the instance that the Node was last synced with. */
  readonly instanceId?: string;
  readonly systemUuid?: string;
  /** It was initialised and is not Ready: what a list shows of its instance may be out of date, so it is asked by id. */
  readonly mayBeGone?: boolean;
  /** The kubelet's --node-ip: one address, or one of each family. Empty: none was given. */
  readonly nodeIps: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/** A Node's UID. Another machine may get the name of a deleted Node, but never its UID. */
export type NodeUid = string;

/**
 * The controller sorts its Nodes by scope, looks them up in batches, and decides about taints and deletions from the
 * results of several look-ups. A list is no proof of absence: `not-found` and `terminated` come from the response to a
 * request for exactly that id.
 */
export interface Instances {
  /**
   * Does a node belong to this cloud, and if so, where can it be looked up? One scope by its providerID, several for a
   * node without one. `undefined`: it does not. Pure.
   */
  scopesOf(node: NodeFacts): readonly Scope[] | undefined;
  /** The most nodes that one call of `lookUp` accepts. */
  readonly batchMax: number;
  /**
   * One result for each node of `nodes`, whatever is wrong with the others. Throws only if no request succeeded.
   * `verify`: Ready nodes of the scope, so their instances certainly exist. If a result could lead to a deletion
   * (`not-found`, `terminated`, or another instance id than the node has), at least one of them is looked up by id
   * afterwards, by the same kind of request, and has a result too.
   */
  lookUp(scope: Scope, request: LookupRequest, context: LookupContext): Promise<ReadonlyMap<NodeUid, LookupResult>>;
  /** Do credentials and endpoint still reach the scope's account? Asked when no Ready node is left to look up. */
  verifyAccess(scope: Scope, context: LookupContext): Promise<boolean>;
}

export interface LookupRequest {
  readonly nodes: readonly NodeFacts[];
  readonly verify: readonly NodeFacts[];
}

export interface LookupContext extends Context {
  /** Awaited before each HTTP request to the cloud: takes a token of the scope's rate limit and observes Retry-After. */
  beforeCall(): Promise<void>;
}

/** One account and place: the unit of batches, rate limit, backoff, canaries and breaker. */
export interface Scope {
  readonly cloud: string;
  /** Unique among all scopes, and safe in metrics: no secret, no account id. */
  readonly key: string;
}

/** The result for one node. A node that the response leaves out is `unknown`, never `not-found`. */
export type LookupResult =
  /** `by`: the cloud was asked for exactly this id, or the instance was found in a list. */
  | { readonly status: 'running' | 'stopped'; readonly instance: Instance; readonly by: 'id' | 'list' }
  /** The response to a request for exactly this id. `evidence`: in the cloud's own words. */
  | { readonly status: 'terminated' | 'not-found'; readonly evidence: string }
  | { readonly status: 'ambiguous'; readonly candidates: readonly string[] }
  | { readonly status: 'unknown'; readonly failure: Failure };

/** The agent asks the machine's metadata service whether the instance is about to go. The agent decides what to do. */
export interface Notices {
  /** Reads all sources. `cursor`: that of the last poll, at first `undefined`. Throws if no source could be read. */
  poll(cursor: unknown, context: Context): Promise<NoticePoll>;
  /** Reports that the instance is ready, so that the cloud need not wait until the notice's time. */
  acknowledge?(notice: Notice, context: Context): Promise<void>;
}

export interface NoticePoll {
  /** All notices of the sources that were read: an earlier one of such a source that is missing was withdrawn. */
  readonly notices: readonly Notice[];
  /** The sources that could not be read, or only in part. Their earlier notices still hold. */
  readonly unread: readonly { readonly source: string; readonly failure: Failure }[];
  readonly cursor: unknown;
  readonly waitMs: number;
}

export interface Notice {
  /** The same for as long as the cloud announces it, also after a restart of the agent. */
  readonly id: string;
  readonly source: string;
  /** `pauses`: the instance goes on after a short interruption. `may-end`: it has a higher risk to end. */
  readonly effect: 'ends' | 'restarts' | 'pauses' | 'may-end';
  readonly state: 'announced' | 'started';
  /** When the effect begins, by wall time. Absent: the cloud gave no time. */
  readonly atMs?: number;
  /** How long after its announcement the effect begins at most. Absent: the cloud does not promise that. */
  readonly withinMs?: number;
  /** If not, to acknowledge it would decide for other instances too. */
  readonly onlyThisInstance: boolean;
  readonly vendorText: string;
}

/** For each Node with a pod CIDR, the controller keeps a route to its instance in the cloud's route tables. */
export interface Routes {
  /** The tables that need a route to the pods of this node; none if it is not of this cloud. Pure. */
  tablesOf(node: NodeFacts): readonly Scope[];
  /** The `nextHop` of a route to pods of this node, whose Node has these addresses. `undefined`: not known yet. Pure. */
  nextHopOf(node: NodeFacts, podCidr: string, addresses: readonly NodeAddress[]): string | undefined;
  /** All routes of the table. Throws if one could be missing. */
  list(table: Scope, context: LookupContext): Promise<readonly Route[]>;
  /** Removes, then creates. One result for each route; what is done already succeeds. Throws only if nothing was tried. */
  apply(table: Scope, change: RouteChange, context: LookupContext): Promise<readonly RouteResult[]>;
}

export interface Route {
  readonly podCidr: string;
  readonly nextHop: string;
  /** `other`: the cloud or somebody else made it. `unmarked`: the cloud keeps no mark that tells who did. */
  readonly owner: 'this-cluster' | 'other' | 'unmarked';
  readonly blackhole: boolean; // The cloud reports that it leads nowhere.
  /** It is there, and something that its packets need is missing: to create it again completes it. */
  readonly incomplete?: true;
}

export interface RouteChange {
  readonly create: readonly Route[];
  readonly remove: readonly Route[];
}

export interface RouteResult {
  readonly route: Route;
  readonly failure?: Failure;
}
