import { requestVersions } from '../../schemas/credential-provider.ts';
import type { Config } from '../../schemas/config.ts';
import type { CloudEntry, CloudRuntime, KubeletHints } from '../../clouds/index.ts';

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
}

export interface ProviderEntries {
  readonly entries: readonly ProviderEntry[];
  /** Clouds without an entry for pods, because only the operator knows the audience. */
  readonly withoutAudience: ReadonlyArray<{ readonly cloud: string; readonly remedy: string }>;
}

const ownName = 'polycloud-credential-provider';

/** One entry for the identity of the node, and one for each cloud that pods can log in to. */
export async function entriesFor({
  clouds,
  runtime,
  config,
  configFile,
  withPods,
}: EntryOptions): Promise<ProviderEntries> {
  const hints = await loadHints(clouds, runtime, config);
  const common = {
    apiVersion: requestVersions[0],
    // Every response has its own cache duration.
    defaultCacheDuration: '0s',
    ...(configFile !== undefined && { args: ['--config', configFile] }),
  };
  const own = config.registries.map(({ match }) => match);
  const all = [...new Set([...hints.flatMap(({ matchImages }) => matchImages), ...own])];
  const node: ProviderEntry = { name: ownName, ...common, matchImages: all };
  if (!withPods) return { entries: [node], withoutAudience: [] };
  const pods = hints.flatMap((hint) => (hint.pod === undefined ? [] : [{ ...hint, pod: hint.pod }]));
  return {
    // The kubelet tries logins in this order, and a pod with its own identity has to use that.
    entries: [...pods.flatMap((hint) => podEntry(hint, common)), node],
    withoutAudience: pods.flatMap(({ cloud, pod: { audience, audienceRemedy = 'configure it' } }) =>
      audience === undefined ? [{ cloud, remedy: audienceRemedy }] : [],
    ),
  };
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

/** With its own name: the kubelet accepts each executable name only once. */
function podEntry({ cloud, matchImages, pod }: Hint, common: Common): readonly ProviderEntry[] {
  if (pod.audience === undefined) return [];
  return [
    {
      name: `${ownName}-${cloud}-pod`,
      ...common,
      matchImages,
      tokenAttributes: {
        serviceAccountTokenAudience: pod.audience,
        cacheType: 'ServiceAccount',
        requireServiceAccount: true,
        requiredServiceAccountAnnotationKeys: pod.requiredAnnotations,
        optionalServiceAccountAnnotationKeys: pod.optionalAnnotations,
      },
    },
  ];
}
