import type { Pod } from '../../lib/kubernetes/objects.ts';
import { pods } from '../../lib/kubernetes/resources.ts';
import { startWatch } from '../harness/watch.ts';
import type { AgentFixture } from './fixture.ts';

/** When each pod of a Node was asked to go, by UID and the clock of `performance.now()`. */
export interface PodWatch {
  askedAtMs(): ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Settles when it has seen all pods. A pod that was removed was asked to go, too. */
export async function watchPods({ client }: AgentFixture, nodeName: string): Promise<PodWatch> {
  const asked = new Map<string, number>();
  const selection = { fieldSelector: `spec.nodeName=${nodeName}` };
  const transform = (pod: Pod): Pod => pod;
  const watch = await startWatch({ client, resource: pods, selection, transform }, ({ kind, object: { metadata } }) => {
    const isAsked = kind === 'removed' || metadata.deletionTimestamp !== undefined;
    if (isAsked && !asked.has(metadata.uid)) asked.set(metadata.uid, performance.now());
  });
  return { askedAtMs: () => asked, close: watch.close };
}
