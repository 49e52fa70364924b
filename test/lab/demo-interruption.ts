import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { DemoOutput } from './demo-output.ts';
import type { LabNode } from './node/lab-node.ts';

const withinMs = 40_000;
const everyMs = 50;
const noticePath = 'meta-data/spot/instance-action';

/** The agent that runs on the machine, when its instance is about to go. */
export async function showInterruption(node: LabNode<'aws'>, { chapter, say, show }: DemoOutput): Promise<void> {
  chapter('It is a spot instance, and AWS announces that it ends in two minutes. The Node, and its pods:');
  const startedMs = performance.now();
  const time = new Date(Date.now() + 120_000).toISOString().replace(/\.\d+Z$/, 'Z');
  await node.clouds.aws.update({ metadata: { [noticePath]: JSON.stringify({ action: 'terminate', time }) } });
  show(describe(await untilNode(node, 'is marked', isReported)));
  await waitUntil({ what: 'its pods are gone', withinMs, everyMs }, async () =>
    (await countPods(node)) === 0 ? true : undefined,
  );
  say(`All pods were evicted, and are gone ${secondsSince(startedMs)} after the notice. Then AWS withdraws it:`);
  await node.clouds.aws.update({ metadata: { [noticePath]: null } });
  show(describe(await untilNode(node, 'is as before', (now) => !isReported(now))));
}

function untilNode(node: LabNode<'aws'>, what: string, holds: (now: Node) => boolean): Promise<Node> {
  return waitUntil({ what: `the Node ${what}`, withinMs, everyMs }, async () => {
    const now = await node.getNode();
    return holds(now) ? now : undefined;
  });
}

/** The condition is written after the marks. */
function isReported(node: Node): boolean {
  return conditionOf(node)?.status === 'True';
}

function conditionOf({ status }: Node): { readonly status: string; readonly message?: string } | undefined {
  return status.conditions?.find(({ type }) => type === keys.interruptionCondition);
}

async function countPods({ plane }: LabNode<'aws'>): Promise<number> {
  const { body } = await plane.ask('GET', '/api/v1/namespaces/default/pods');
  return (body as { readonly items: readonly unknown[] }).items.length;
}

function describe(node: Node): string {
  const { metadata, spec } = node;
  const taints = (spec.taints ?? []).map(({ key, value, effect }) => `${key}=${value ?? ''}:${effect}`);
  return [
    `${metadata.name}  ${spec.unschedulable === true ? 'unschedulable' : 'schedulable'}  taints ${taints.join(', ') || 'none'}`,
    `${keys.interruptionCondition}: ${conditionOf(node)?.message ?? 'none'}`,
  ].join('\n');
}

function secondsSince(startedMs: number): string {
  return `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;
}
