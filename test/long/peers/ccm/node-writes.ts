import type { Node } from '../../../../schemas/kubernetes.ts';
import type { AuditEvent } from '../../../lab/control-plane/audit.ts';
import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';

const cloudTaint = /^(?:node\.cloudprovider\.kubernetes\.io\/|node\.kubernetes\.io\/(?=out-of-service$))(?<name>.*)$/;

/** Who writes, by the beginning of the user agent. */
const writers: Readonly<Record<string, string>> = {
  'aws-cloud-controller-manager/': 'theirs',
  'cloud-controller-manager/': 'theirs',
  'cloud-node-manager/': 'node manager',
  'polycloud-ccm/': 'ours',
  'polycloud-node-agent/': 'agent',
};

/**
 * What was written to Nodes since the last call, in words: `ours NODE: addresses`, `theirs NODE: taints none`,
 * `ours NODE: delete`. Each once, and the writes of the test are left out. `nameOf` shortens the name of a Node.
 */
export function watchNodeWrites(plane: SharedControlPlane, nameOf: (node: string) => string) {
  let seen = 0;
  return async (): Promise<readonly string[]> => {
    const events = await plane.auditEvents();
    const fresh = events.slice(seen);
    seen = events.length;
    const words = fresh.flatMap((event) => (isNodeWrite(event) ? describeWrite(event, nameOf) : []));
    return [...new Set(words)].toSorted();
  };
}

function isNodeWrite({ verb, objectRef, responseStatus }: AuditEvent): boolean {
  const isWrite = !['get', 'list', 'watch'].includes(verb);
  return objectRef?.resource === 'nodes' && isWrite && (responseStatus?.code ?? 0) < 300;
}

function describeWrite(event: AuditEvent, nameOf: (node: string) => string): readonly string[] {
  const { userAgent = '', verb, objectRef, user } = event;
  if (/^lab(?:\/|$)/.test(userAgent)) return [];
  const [, writer = user.username] = Object.entries(writers).find(([start]) => userAgent.startsWith(start)) ?? [];
  const what = verb === 'delete' ? ['delete'] : partsOf(event);
  return what.map((part) => `${writer} ${nameOf(objectRef?.name ?? '')}: ${part}`);
}

/** A PUT has the whole Node, and a patch only what changes. A patch of labels and taints is called by its taints. */
function partsOf({ verb, objectRef, requestObject }: AuditEvent): readonly string[] {
  const { metadata, spec, status } = requestObject as Partial<Node>;
  if (objectRef?.subresource === 'status') return Object.keys(status ?? {});
  if (spec?.taints !== undefined || verb === 'update') return [`taints ${namesOfTaints(spec?.taints)}`];
  return Object.keys({ ...metadata, ...spec }).filter((key) => key !== 'resourceVersion' && key !== 'uid');
}

/** Those that a cloud controller manager sets. */
function namesOfTaints(taints: Node['spec']['taints'] = []): string {
  const names = taints.flatMap(({ key }) => cloudTaint.exec(key)?.groups?.['name'] ?? []);
  return names.length === 0 ? 'none' : names.join(',');
}
