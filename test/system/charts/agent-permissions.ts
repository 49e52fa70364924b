import type { NewNode, AccessRequest } from './cluster.ts';

/** What an agent on the Node `own` may ask for and what it may not; nothing of it is kept, so that each stands alone. */
export const uninitialized = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};
/** The second is what the API server itself puts on a new Node. */
export const foreignTaints = [
  { key: 'example.com/others', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
];
const zone = { 'topology.kubernetes.io/zone': 'us-west-2a' };

/** As a kubelet registers it, with what others put on it. */
export function newNode(name: string): NewNode {
  return {
    metadata: {
      name,
      labels: { 'example.com/pool': 'a', 'node-role.kubernetes.io/worker': '' },
      annotations: { 'example.com/note': 'a' },
      finalizers: ['example.com/wait'],
    },
    spec: { taints: [uninitialized, ...foreignTaints] },
    status: { capacity: { cpu: '2' }, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

export const allowed: Readonly<Record<string, AccessRequest>> = {
  'read its Node': { method: 'GET', path: '/api/v1/nodes/own' },
  'list Nodes, of which it asks for its own': {
    method: 'GET',
    path: '/api/v1/nodes?fieldSelector=metadata.name%3Down',
  },
  'set labels of Kubernetes for its instance': labels({
    ...zone,
    'topology.kubernetes.io/region': 'us-west-2',
    'failure-domain.beta.kubernetes.io/zone': 'us-west-2a',
    'failure-domain.beta.kubernetes.io/region': 'us-west-2',
    'node.kubernetes.io/instance-type': 'm7g.large',
    'beta.kubernetes.io/instance-type': 'm7g.large',
  }),
  'set those of AWS': labels({ 'topology.k8s.aws/zone-id': 'usw2-az1' }),
  'set those of Azure': labels({ 'topology.kubernetes.azure.com/sub-fault-domain': '1' }),
  'set those that the values name': labels({ 'example.com/rack': 'r1', 'rack.example.com/row': '2' }),
  'mark its Node as described': annotations({
    'polycloud.dev/described-by-agent': 'aws',
    'polycloud.dev/instance-id': '1',
  }),
  'set the providerID': patch('own', { spec: { providerID: 'aws:///us-west-2a/i-1' } }),
  'take the uninitialized taint away': taints(foreignTaints),
  'taint its Node for an interruption': taints([uninitialized, ...foreignTaints, interruption('NoSchedule')]),
  'prefer other Nodes': taints([uninitialized, ...foreignTaints, interruption('PreferNoSchedule')]),
  'keep the state of a drain': annotations({ 'polycloud.dev/interruption': '{}' }),
  'cordon and taint at once': patch('own', {
    metadata: { annotations: { 'polycloud.dev/interruption': '{}' } },
    spec: { unschedulable: true, taints: [uninitialized, ...foreignTaints, interruption('NoSchedule')] },
  }),
  'report an interruption': condition({ type: 'polycloud.dev/Interruption', status: 'True' }),
  'list pods': { method: 'GET', path: '/api/v1/pods?fieldSelector=spec.nodeName%3Down' },
  'delete a pod of its Node': {
    method: 'DELETE',
    path: '/api/v1/namespaces/kube-system/pods/polycloud-node-agent-on-own?dryRun=All',
  },
  'evict a pod': {
    method: 'POST',
    path: '/api/v1/namespaces/kube-system/pods/polycloud-node-agent-on-own/eviction?dryRun=All',
    body: { metadata: { name: 'polycloud-node-agent-on-own', namespace: 'kube-system' } },
  },
  'set addresses': patch('own/status', { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] } }),
  'tell an event of its Node': event('default', 'Node', 'own'),
};

/** By the message of the API server. */
export const refused: Readonly<Record<string, readonly [AccessRequest, RegExp]>> = {
  'label another Node': [
    patch('other', { metadata: { labels: zone } }),
    /only the Node that its pod runs on; this pod runs on own/,
  ],
  'set another Node’s addresses': [
    patch('other/status', { status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] } }),
    /this pod runs on own/,
  ],
  'initialise another Node': [patch('other', { spec: { taints: foreignTaints } }), /this pod runs on own/],
  'draw pods by a role': [
    labels({ 'node-role.kubernetes.io/control-plane': '' }),
    /labels: node-role.kubernetes.io\/control-plane;/,
  ],
  'draw pods by a restricted label': [labels({ 'node-restriction.kubernetes.io/pool': 'x' }), /may not change/],
  'draw pods by a label of the cluster’s own': [labels({ 'example.com/pool': 'b' }), /labels: example.com\/pool;/],
  'take a label away': [labels({ 'example.com/pool': null }), /labels: example.com\/pool;/],
  'take its Node out of the controller’s hands': [
    labels({ 'polycloud.dev/cloud': 'false' }),
    /labels: polycloud.dev\/cloud;/,
  ],
  'do so by way of the status': [
    patch('own/status', { metadata: { labels: { 'example.com/pool': 'b' } } }),
    /labels: example.com\/pool;/,
  ],
  'confirm deletions': [
    annotations({ 'polycloud.dev/confirm-deletions': 'word' }),
    /annotations: polycloud.dev\/confirm-deletions/,
  ],
  'take an annotation away': [annotations({ 'example.com/note': null }), /annotations: example.com\/note/],
  'take a finalizer away': [
    patch('own', { metadata: { finalizers: null } }),
    /in metadata an agent may change only labels and annotations/,
  ],
  'have its Node collected as garbage': [
    patch('own', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'x' }] } }),
    /in metadata an agent may change only labels and annotations/,
  ],
  'take away a taint of others': [taints([uninitialized]), /may change no other taint/],
  'throw pods off by a taint': [
    taints([uninitialized, ...foreignTaints, { key: 'example.com/out', effect: 'NoExecute' }]),
    /may change no other taint/,
  ],
  'throw pods off by the taint for an interruption': [
    taints([uninitialized, ...foreignTaints, interruption('NoExecute')]),
    /has the effect NoSchedule or PreferNoSchedule/,
  ],
  'keep pods away by another taint of polycloud.dev': [
    taints([uninitialized, ...foreignTaints, { key: 'polycloud.dev/other', effect: 'NoSchedule' }]),
    /may change no other taint/,
  ],
  'make the uninitialized taint a worse one': [
    taints([{ ...uninitialized, effect: 'NoExecute' }, ...foreignTaints]),
    /remove the uninitialized taint, not add it/,
  ],
  'cordon another Node': [patch('other', { spec: { unschedulable: true } }), /this pod runs on own/],
  'change its pod network': [patch('own', { spec: { podCIDR: '10.9.0.0/24' } }), /in spec an agent may change only/],
  'say that its Node is not Ready': [
    condition({ type: 'Ready', status: 'False' }),
    /may change only the condition polycloud.dev\/Interruption/,
  ],
  'say what the cloud says of its instance': [
    condition({ type: 'polycloud.dev/Instance', status: 'True' }),
    /may change only the condition polycloud.dev\/Interruption/,
  ],
  'claim more capacity': [
    patch('own/status', { status: { capacity: { cpu: '2000' } } }),
    /in status an agent may change only/,
  ],
  'tell an event of another Node': [event('default', 'Node', 'other'), /this pod runs on own/],
  'tell an event of a pod': [event('default', 'Pod', 'own'), /only about the Node that its pod runs on/],
  'tell an event elsewhere': [event('kube-system', 'Node', 'own'), /cannot create resource "events"/],
  'replace its Node': [
    { method: 'PUT', path: '/api/v1/nodes/own', body: newNode('own') },
    /cannot update resource "nodes"/,
  ],
  'delete its Node': [{ method: 'DELETE', path: '/api/v1/nodes/own' }, /cannot delete resource "nodes"/],
  'delete another Node': [{ method: 'DELETE', path: '/api/v1/nodes/other' }, /cannot delete resource "nodes"/],
  'create a Node': [{ method: 'POST', path: '/api/v1/nodes', body: newNode('new') }, /cannot create resource "nodes"/],
  'reach a kubelet': [{ method: 'GET', path: '/api/v1/nodes/own/proxy/pods' }, /cannot get resource "nodes\/proxy"/],
  'read secrets': [{ method: 'GET', path: '/api/v1/secrets' }, /cannot list resource "secrets"/],
  'read configuration': [{ method: 'GET', path: '/api/v1/namespaces/kube-system/configmaps' }, /cannot list/],
  'delete a pod of another Node': [
    { method: 'DELETE', path: '/api/v1/namespaces/kube-system/pods/polycloud-node-agent-on-other' },
    /only pods of the Node that its own pod runs on; this pod runs on own/,
  ],
  'create pods': [
    { method: 'POST', path: '/api/v1/namespaces/default/pods', body: {} },
    /cannot create resource "pods"/,
  ],
  'ask for tokens': [
    { method: 'POST', path: '/api/v1/namespaces/kube-system/serviceaccounts/default/token', body: {} },
    /cannot create resource "serviceaccounts\/token"/,
  ],
  'take a Lease': [
    { method: 'GET', path: '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/cloud-controller-manager' },
    /cannot get resource "leases"/,
  ],
  'lift what holds it': [
    {
      method: 'DELETE',
      path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/polycloud-node-agent',
    },
    /cannot delete/,
  ],
};

function patch(target: string, body: object): AccessRequest {
  return { method: 'PATCH', path: `/api/v1/nodes/${target}?dryRun=All`, body };
}

function labels(changed: Readonly<Record<string, string | null>>): AccessRequest {
  return patch('own', { metadata: { labels: changed } });
}

function annotations(changed: Readonly<Record<string, string | null>>): AccessRequest {
  return patch('own', { metadata: { annotations: changed } });
}

function taints(list: readonly object[]): AccessRequest {
  return patch('own', { spec: { taints: list } });
}

function interruption(effect: string): object {
  return { key: 'polycloud.dev/interruption', value: 'ends', effect };
}

function condition(one: object): AccessRequest {
  return { ...patch('own/status', { status: { conditions: [one] } }), patchType: 'strategic-merge' };
}

function event(namespace: string, kind: string, name: string): AccessRequest {
  return {
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/events?dryRun=All`,
    body: {
      metadata: { namespace, generateName: `${name}.` },
      involvedObject: { apiVersion: 'v1', kind, name, ...(kind === 'Pod' && { namespace }) },
      reason: 'Said',
      message: 'said',
      type: 'Normal',
    },
  };
}
