import { Failure } from '../../lib/failure.ts';
import type { Context } from '../cloud.ts';
import type { AccountSession } from './account-session.ts';
import type { DescribedInstance } from './described-instance.ts';
import { inChunks } from './find-by-id.ts';
import { parseTopologyPage } from './parse-topology.ts';
import type { TopologyPage } from './parse-topology.ts';

type Labels = Readonly<Record<string, string>>;

/** Where in AWS's network the instances of one scope are, as labels by instance id. */
export interface NetworkLayers {
  /** Never throws, and soon comes back with what is known: nobody waits for these labels, the rest follows with the next look. */
  labelsOf(instances: readonly DescribedInstance[], context: Context): Promise<ReadonlyMap<string, Labels>>;
}

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-topology-prerequisites.html, by families. */
const typeWithLayers = /^(?:hpc|trn|p|g6e|g7e)\d*[a-z]*(?:-[a-z0-9]+)*\./;
const labelStart = 'topology.k8s.aws/network-node-layer-';

const idsMax = 100;
const rememberedMax = 20_000;
const pagesMax = 20;
const longestWaitMs = 1_000;
/** For an instance without layers, and after a failure, such as a permission that is missing. */
const askAgainAfterMs = 5 * 60_000;

export function createNetworkLayers(session: AccountSession): NetworkLayers {
  const known = new Map<string, Labels>();
  const askAgainAtMs = new Map<string, number>();
  let said = '';

  /** Instances come and go for as long as the process lives. */
  function makeRoom(): void {
    if (askAgainAtMs.size < rememberedMax) return;
    known.clear();
    askAgainAtMs.clear();
  }

  async function ask(instanceIds: readonly string[], context: Context): Promise<void> {
    try {
      for (const [instanceId, layers] of await describeTopology(instanceIds, session, context)) {
        known.set(instanceId, labelsFor(layers));
      }
    } catch (error) {
      const why = error instanceof Failure ? `${error.message}; hint: ${error.remedy}` : 'the question failed';
      if (why !== said) context.log.info(`network layers are not known, and not waited for: ${why}`);
      said = why;
    }
  }

  function toAsk(wanted: readonly DescribedInstance[], nowMs: number): readonly string[] {
    makeRoom();
    const ids = wanted.map(({ instanceId }) => instanceId).filter((id) => !known.has(id));
    const due = ids.filter((id) => nowMs >= (askAgainAtMs.get(id) ?? 0));
    for (const id of due) askAgainAtMs.set(id, nowMs + askAgainAfterMs);
    return due;
  }

  return {
    labelsOf: async (instances, context) => {
      const wanted = instances.filter(({ state, type }) => state === 'running' && typeWithLayers.test(type ?? ''));
      const chunks = inChunks(toAsk(wanted, context.clock.monotonicMs()), idsMax);
      if (chunks.length > 0) await waitShortly(Promise.all(chunks.map((ids) => ask(ids, context))), context);
      return known;
    },
  };
}

async function waitShortly(asking: Promise<unknown>, { clock, signal }: Context): Promise<void> {
  const answered = new AbortController();
  const tooLong = clock.sleep(longestWaitMs, AbortSignal.any([signal, answered.signal])).catch(() => {});
  await Promise.race([asking, tooLong]);
  answered.abort();
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
    const asked = await session.ask('ec2', { Action: 'DescribeInstanceTopology', ...ids, ...next }, context);
    if (asked.is === 'refusal') throw asked.failure;
    const page = parseTopologyPage(asked.body);
    if (page === undefined) throw notItsFormat(asked.whom);
    for (const [instanceId, each] of page.layers) layers.set(instanceId, each);
    if (page.nextToken === undefined) break;
    next = { NextToken: page.nextToken };
  }
  return layers;
}

/** From the outermost in. */
function labelsFor(layers: readonly string[]): Labels {
  return Object.fromEntries(layers.map((layer, index) => [`${labelStart}${index + 1}`, layer]));
}

function notItsFormat(whom: string): Failure {
  return new Failure(
    'invalid-response',
    `${whom} answered ec2:DescribeInstanceTopology with something that is not its format`,
    { remedy: 'check that nothing else, such as a proxy, answers in its place' },
  );
}
