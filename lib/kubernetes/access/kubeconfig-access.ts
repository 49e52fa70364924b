import { sameTarget } from './cluster-access.ts';
import type { ClusterAccess, ApiServerTarget } from './cluster-access.ts';
import { freshFile } from './fresh-file.ts';
import { parseKubeconfig } from './parse-kubeconfig.ts';
import { createTargetReader } from './target-reader.ts';
import type { KubeconfigEnvironment, TargetReader } from './target-reader.ts';

/** Access by a kubeconfig. The file itself may change too: kubeadm renews the certificates inside its own. */
export function kubeconfigAccess(path: string, environment: KubeconfigEnvironment): ClusterAccess {
  const file = freshFile(path);
  let known: { readonly text: string; readonly reader: TargetReader } | undefined;
  let last: ApiServerTarget | undefined;
  const reader = (): TargetReader => {
    const text = file.read();
    if (known?.text === text) return known.reader;
    try {
      known = { text, reader: createTargetReader(parseKubeconfig(text, path), environment) };
    } catch (error) {
      // Half written: the next request looks again.
      if (known === undefined) throw error;
    }
    return known.reader;
  };
  return {
    current: async () => {
      const next = await reader().read();
      last = last !== undefined && sameTarget(last, next) ? last : next;
      return last;
    },
    invalidate: (target) => {
      if (target === last) known?.reader.invalidate();
    },
  };
}
