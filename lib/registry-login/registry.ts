import type { Context } from '../context.ts';
import type { ImageReference } from '../image-reference.ts';
import type { Secret } from '../secret.ts';

export interface ImageRegistry {
  /** `undefined`: not one of ours. Pure: no I/O, no clock. */
  match(image: ImageReference): Registry | undefined;
  /** Throws a `Failure` when there is no login, whatever the reason. */
  logIn(registry: Registry, identity: Identity, context: Context): Promise<Login>;
  /** Absent: which images these are is in the configuration alone. */
  kubeletHints?(): Promise<KubeletHints>;
}

/** What a kubelet has to be told so that it asks us for these registries. */
export interface KubeletHints {
  /** The hosts of `match` as its globs, each of which stands for one part of a name. */
  readonly matchImages: readonly string[];
  /** Of the entry for pods; absent: they have no identity there. */
  readonly pod?: {
    /** Absent: only the operator knows it. */
    readonly audience?: string;
    readonly requiredAnnotations: readonly string[];
    readonly optionalAnnotations: readonly string[];
  };
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
