import { leaseEvents, nodeEvents } from '../../schemas/events.ts';
import type { EventDescription } from '../../schemas/events.ts';
import { interruptionConditionReasons, keyDescriptions, writtenWellKnownKeys } from '../../schemas/key-descriptions.ts';
import type { KeyDescription } from '../../schemas/key-descriptions.ts';
import { keys } from '../../schemas/keys.ts';

/** The page of what the programs write on objects of the cluster, generated from the tables that they use. */
export function eventsPage(): string {
  const described = Object.entries(keyDescriptions) as readonly (readonly [
    keyof typeof keyDescriptions,
    KeyDescription,
  ])[];
  const conditions = Object.entries(interruptionConditionReasons);
  return `# Events, conditions, taints, labels and annotations

<!-- Made by build/docs/events-page.ts from schemas/events.ts, schemas/key-descriptions.ts and schemas/keys.ts. -->

Reasons and keys stay the same from version to version.

## Events on Nodes

\`kubectl describe node NODE\` shows them; their namespace is \`default\`. The source of the controller's is
\`cloud-node-controller\`, that of the agent's \`polycloud-node-agent\`.

${Object.entries(nodeEvents).map(eventItem).join('\n')}

## Events on the Lease

\`kubectl --namespace kube-system describe lease cloud-controller-manager\` shows them. Without leader election and in a
dry run there are none.

${Object.entries(leaseEvents).map(eventItem).join('\n')}

## Keys of polycloud

${described.map(([name, description]) => keyItem(keys[name], description)).join('\n')}

The condition \`${keys.instanceCondition}\` has the reasons of the events \`Instance…\`, \`DeletionsStopped\` and
\`DeletingNode\`. The condition \`${keys.interruptionCondition}\` has these:

${conditions.map(([reason, meaning]) => `- \`${reason}\`: ${meaning}`).join('\n')}

## Keys of Kubernetes that are written on Nodes

${writtenWellKnownKeys.map(([kind, key, meaning]) => `- ${kind} \`${key}\`: ${meaning}`).join('\n')}

The clouds' own labels are in their guides: [AWS](../guides/ccm.md), [Azure](../guides/azure.md) and
[Google Cloud](../guides/google-cloud.md).
`;
}

function eventItem([reason, { type, writer, when, remedy }]: readonly [string, EventDescription]): string {
  return `- **\`${reason}\`** (${type}, ${writer}): ${when}.${remedy === undefined ? '' : ` What to do: ${remedy}.`}`;
}

function keyItem(key: string, { kind, on, writer, meaning }: KeyDescription): string {
  return `- ${kind} of a ${on} **\`${key}\`** (${writer}): ${meaning}.`;
}
