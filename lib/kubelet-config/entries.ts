import { requestVersions } from '../../schemas/credential-provider.ts';
import type { Config } from '../../schemas/config.ts';
import { Failure } from '../failure.ts';
import type { CloudEntry, CloudRuntime } from '../../clouds/cloud.ts';
import type { KubeletHints } from '../../schemas/kubelet-hints.ts';

/** An entry of the kubelet's file as `config print` prints it. */
export interface ProviderEntry {
  readonly name: string;
  readonly apiVersion: string;
  readonly matchImages: readonly string[];
  readonly defaultCacheDuration: string;
  readonly args?: readonly string[];
  readonly tokenAttributes?: {
    readonly serviceAccountTokenAudience: string;
    readonly cacheType: 'ServiceAccount' | 'Token';
    readonly requireServiceAccount: true;
    readonly requiredServiceAccountAnnotationKeys: readonly string[];
    readonly optionalServiceAccountAnnotationKeys: readonly string[];
  };
}

export interface EntryOptions {
  readonly clouds: readonly CloudEntry[];
  readonly runtime: CloudRuntime;
  readonly config: Config;
  /** Our configuration file, unless it is the default one. */
  readonly configFile: string | undefined;
  readonly withPods: boolean;
  /** An entry for pods for each of these annotations. Empty: for the usual one of each cloud. */
  readonly annotations: readonly string[];
}

export interface ProviderEntries {
  readonly entries: readonly ProviderEntry[];
  /** Clouds without an entry for pods, because only the operator knows the audience. */
  readonly withoutAudience: ReadonlyArray<{ readonly cloud: string; readonly remedy: string }>;
}

const ownName = 'polycloud-credential-provider';

/** The kubelet accepts each executable name only once. */
export function podEntryName(cloud: string, index = 0): string {
  return `${ownName}-${cloud}-pod${index === 0 ? '' : `-${index + 1}`}`;
}

/** One entry for the identity of the node, and one for each cloud and annotation that pods can log in with. */
export async function entriesFor(options: EntryOptions): Promise<ProviderEntries> {
  const { clouds, runtime, config, withPods } = options;
  const hints = await loadHints(clouds, runtime, config);
  const common = commonParts(options);
  const own = config.registries.map(({ match }) => match);
  const all = [...new Set([...hints.flatMap(({ matchImages }) => matchImages), ...own])];
  if (all.length === 0) throw noHosts(clouds);
  const node: ProviderEntry = { name: ownName, ...common, matchImages: all };
  if (!withPods) return { entries: [node], withoutAudience: [] };
  const pods = hints.flatMap((hint) => (hint.pod === undefined ? [] : [{ ...hint, pod: hint.pod }]));
  requireKnown(options.annotations, pods);
  return {
    // The kubelet tries logins in this order, and a pod with its own identity has to use that.
    entries: [...pods.flatMap((hint) => podEntries(hint, options.annotations, common)), node],
    withoutAudience: pods.flatMap(({ cloud, pod: { audience, audienceRemedy = 'configure it' } }) =>
      audience === undefined ? [{ cloud, remedy: audienceRemedy }] : [],
    ),
  };
}

function commonParts({ configFile }: EntryOptions): Common {
  return {
    apiVersion: requestVersions[0],
    // Every response has its own cache duration.
    defaultCacheDuration: '0s',
    ...(configFile !== undefined && { args: ['--config', configFile] }),
  };
}

function noHosts(clouds: readonly CloudEntry[]): Failure {
  const names = clouds.map(({ name }) => name).join(', ');
  return new Failure('misconfigured', `there is no registry host for ${names}, and a kubelet needs one`, {
    remedy: 'add the hosts to `registries` of the configuration, or name other clouds',
  });
}

function requireKnown(annotations: readonly string[], pods: readonly Hint[]): void {
  const known = new Set(pods.flatMap(({ pod }) => annotationsOf(pod)));
  const unknown = annotations.find((key) => !known.has(key));
  if (unknown === undefined) return;
  throw new Failure('misconfigured', `--annotations names ${JSON.stringify(unknown)}, which no selected cloud reads`, {
    remedy: `use one of ${[...known].join(', ')}`,
  });
}

function annotationsOf({ requiredAnnotations, optionalAnnotations }: Hint['pod']): readonly string[] {
  return [...requiredAnnotations, ...optionalAnnotations];
}

/** Those of each cloud that has any. */
export async function loadHints(
  clouds: readonly CloudEntry[],
  runtime: CloudRuntime,
  config: Config,
): Promise<ReadonlyArray<KubeletHints & { readonly cloud: string }>> {
  const loaded = await Promise.all(clouds.map((cloud) => cloud.load(runtime, config)));
  return loaded.flatMap(({ name, registry }) => {
    const hints = registry?.kubeletHints?.();
    return hints === undefined ? [] : [{ cloud: name, ...hints }];
  });
}

type Hint = KubeletHints & { readonly cloud: string; readonly pod: NonNullable<KubeletHints['pod']> };
type Common = Pick<ProviderEntry, 'apiVersion' | 'defaultCacheDuration' | 'args'>;

/** A kubelet calls an entry only for service accounts with its required annotation, so there is one for each of them. */
function podEntries(
  { cloud, matchImages, pod }: Hint,
  annotations: readonly string[],
  common: Common,
): readonly ProviderEntry[] {
  if (pod.audience === undefined) return [];
  const { audience } = pod;
  const known = annotationsOf(pod);
  const chosen = annotations.filter((key) => known.includes(key)).map((key) => [key]);
  const families = chosen.length === 0 ? [pod.requiredAnnotations] : chosen;
  return families.map((required, index) => ({
    name: podEntryName(cloud, index),
    ...common,
    matchImages,
    tokenAttributes: {
      serviceAccountTokenAudience: audience,
      cacheType: 'ServiceAccount',
      requireServiceAccount: true,
      requiredServiceAccountAnnotationKeys: required,
      optionalServiceAccountAnnotationKeys: known.filter((key) => !required.includes(key)),
    },
  }));
}
