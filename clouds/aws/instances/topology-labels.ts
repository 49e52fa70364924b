import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { AccountSession } from './account-session.ts';
import type { DescribedInstance } from '../instance.ts';
import { inChunks } from './by-id.ts';
import { parseTopologyPage } from './parse.ts';
import type { TopologyPage } from './parse.ts';

type LayerLabels = Readonly<Record<string, string>>;

/** The network layers of the instances of one scope, as labels by instance id. */
export interface TopologyLabels {
  /**
   * Never throws, and returns soon with what is known. No caller waits for these labels; the rest follows with the next
   * look-up.
   */
  labelsByInstanceId(
    instances: readonly DescribedInstance[],
    context: Context,
  ): Promise<ReadonlyMap<string, LayerLabels>>;
}

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-topology-prerequisites.html, by families. */
const typesWithLayers = /^(?:hpc|trn|p|g6e|g7e)\d*[a-z]*(?:-[a-z0-9]+)*\./;
const labelPrefix = 'topology.k8s.aws/network-node-layer-';

const idsMax = 100;
const cacheMax = 20_000;
const pagesMax = 20;
const maxWaitMs = 1_000;
/** For an instance without layers, and after a failure, such as a permission that is missing. */
const retryAfterFailureMs = 5 * 60_000;

export function createTopologyLabels(session: AccountSession): TopologyLabels {
  const known = new Map<string, LayerLabels>();
  const retryAtMs = new Map<string, number>();
  let lastMessage = '';

  /** Bounds the memory: instances come and go while the process runs. */
  function evictWhenFull(): void {
    if (retryAtMs.size < cacheMax) return;
    known.clear();
    retryAtMs.clear();
  }

  async function fetchLabels(instanceIds: readonly string[], context: Context): Promise<void> {
    try {
      for (const [instanceId, layers] of await describeTopology(instanceIds, session, context)) {
        known.set(instanceId, labelsFor(layers));
      }
    } catch (error) {
      const message = error instanceof Failure ? `${error.message}; hint: ${error.remedy}` : 'the question failed';
      if (message !== lastMessage) context.log.info(`network layers are not known, and not waited for: ${message}`);
      lastMessage = message;
    }
  }

  function dueIds(accelerated: readonly DescribedInstance[], nowMs: number): readonly string[] {
    evictWhenFull();
    const ids = accelerated.map(({ instanceId }) => instanceId).filter((id) => !known.has(id));
    const due = ids.filter((id) => nowMs >= (retryAtMs.get(id) ?? 0));
    for (const id of due) retryAtMs.set(id, nowMs + retryAfterFailureMs);
    return due;
  }

  return {
    labelsByInstanceId: async (instances, context) => {
      const accelerated = instances.filter(
        ({ state, type }) => state === 'running' && typesWithLayers.test(type ?? ''),
      );
      const chunks = inChunks(dueIds(accelerated, context.clock.monotonicMs()), idsMax);
      if (chunks.length > 0) await waitShortly(Promise.all(chunks.map((ids) => fetchLabels(ids, context))), context);
      return known;
    },
  };
}

async function waitShortly(requests: Promise<unknown>, { clock, signal }: Context): Promise<void> {
  const finished = new AbortController();
  const timeout = clock.sleep(maxWaitMs, AbortSignal.any([signal, finished.signal])).catch(() => {});
  await Promise.race([requests, timeout]);
  finished.abort();
}

async function describeTopology(
  instanceIds: readonly string[],
  session: AccountSession,
  context: Context,
): Promise<TopologyPage['layers']> {
  const ids = Object.fromEntries(instanceIds.map((id, index) => [`InstanceId.${index + 1}`, id]));
  const layers = new Map<string, readonly string[]>();
  let next = {};
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const response = await session.request('ec2', { Action: 'DescribeInstanceTopology', ...ids, ...next }, context);
    if (response.is === 'refusal') throw response.failure;
    const page = parseTopologyPage(response.body);
    if (page === undefined) throw invalidFormat(response.target);
    for (const [instanceId, each] of page.layers) layers.set(instanceId, each);
    if (page.nextToken === undefined) break;
    next = { NextToken: page.nextToken };
  }
  return layers;
}

/** From the outermost in. */
function labelsFor(layers: readonly string[]): LayerLabels {
  return Object.fromEntries(layers.map((layer, index) => [`${labelPrefix}${index + 1}`, layer]));
}

function invalidFormat(target: string): Failure {
  return new Failure(
    'invalid-response',
    `${target} answered ec2:DescribeInstanceTopology with something that is not its format`,
    { remedy: 'check that nothing else, such as a proxy, answers in its place' },
  );
}
