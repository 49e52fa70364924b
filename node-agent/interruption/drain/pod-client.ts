import type { Clock } from '../../../lib/clock.ts';
import type { KubernetesClient } from '../../../lib/kubernetes/client.ts';
import { pods } from '../../../lib/kubernetes/resources.ts';
import { watchList } from '../../../lib/kubernetes/watch/watch-list.ts';
import { defaultWatchTimes } from '../../../lib/kubernetes/watch/watch-times.ts';
import { failureFields } from '../../../lib/log/failure-fields.ts';
import { openFailureLog } from '../../../lib/log/failure-log.ts';
import type { Log } from '../../../lib/log/log.ts';
import type { Alarm } from '../alarm.ts';
import { toDrainPod } from './drain-pod.ts';
import type { DrainPod } from './drain-pod.ts';
import type { DrainStep } from './plan-drain.ts';

/** The requests of a drain. */
export interface PodClient {
  /** Watches the pods of a Node until the signal is aborted. `undefined`: they have not been listed yet. */
  watch(nodeName: string, alarm: Alarm, signal: AbortSignal): () => readonly DrainPod[] | undefined;
  send(step: DrainStep, signal: AbortSignal): Promise<void>;
}

/** A machine that is about to go cannot wait long for one answer. */
const longestRequestMs = 10_000;
const watchTimes = { ...defaultWatchTimes, firstWaitMs: 250, longestWaitMs: 2_000 };

export function createPodClient(
  client: Pick<KubernetesClient, 'pages' | 'watch' | 'evict' | 'delete'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): PodClient {
  return {
    watch: (nodeName, alarm, signal) => {
      const failures = openFailureLog({
        clock,
        logFailure: (failure) => log.error('Pods cannot be watched', failure),
        logRepeatedFailure: (failure) => log.debug('Pods cannot be watched yet', failure),
        logRecovery: () => log.info('Pods are watched again'),
      });
      const watched = watchList(
        {
          client,
          resource: pods,
          selection: { fieldSelector: `spec.nodeName=${nodeName}` },
          transform: toDrainPod,
          times: watchTimes,
        },
        {
          changed: () => {
            failures.recovered();
            alarm.ring();
          },
          listed: () => {
            failures.recovered();
            alarm.ring();
          },
          failed: (error) => failures.failed(failureFields(error)),
        },
        { signal, clock, random: Math.random },
      );
      return () => (watched.isSynced() ? [...watched.objects.values()] : undefined);
    },
    send: async ({ pod: { metadata }, how, graceSeconds }, signal) => {
      const { name, namespace = '', uid } = metadata;
      const ref = { name, namespace, uid, ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }) };
      const requestSignal = AbortSignal.any([signal, AbortSignal.timeout(longestRequestMs)]);
      await (how === 'evict' ? client.evict(ref, requestSignal) : client.delete(pods, ref, requestSignal));
    },
  };
}
