import type { AccessRequest, NewNode } from './cluster.ts';

/** What the controller's token allows and what not, as SECURITY.md lists it; nothing of it is kept. */
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
const uninitialized = { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' };
const shutdown = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };
const foreign = { key: 'example.com/others', effect: 'NoSchedule' };
/** The API server itself puts it on a new Node. */
const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const providerId = { providerID: 'aws:///us-west-2a/i-1' };
const ready = { type: 'Ready', status: 'True' };
const silent = { ...ready, status: 'Unknown' };
const announced = { type: 'polycloud.dev/Instance', status: 'False', reason: 'DeletingNode' };

/** The controller does not look at it. */
export const excludedNode: NewNode = {
  metadata: { name: 'control-plane', labels: { 'polycloud.dev/cloud': 'false' } },
  spec: providerId,
  status: { conditions: [silent, announced] },
};

/** The other Nodes of the tables below. */
export const nodesOfTables: readonly NewNode[] = [
  {
    metadata: {
      name: 'fresh-one',
      labels: { 'example.com/pool': 'a' },
      annotations: { 'example.com/note': 'a' },
      finalizers: ['example.com/wait'],
    },
    spec: { taints: [uninitialized, foreign, notReady] },
    status: { conditions: [ready] },
  },
  { metadata: { name: 'metal' }, spec: { providerID: 'static://metal', taints: [notReady] } },
  { metadata: { name: 'gone' }, spec: providerId, status: { conditions: [silent, announced] } },
  { metadata: { name: 'awake' }, spec: providerId, status: { conditions: [ready, announced] } },
  { metadata: { name: 'unreported' }, spec: providerId, status: { conditions: [silent] } },
  {
    metadata: { name: 'found-again' },
    spec: providerId,
    status: { conditions: [silent, { ...announced, status: 'True', reason: 'InstanceFound' }] },
  },
  {
    metadata: { name: 'never-known' },
    spec: { ...providerId, taints: [uninitialized] },
    status: { conditions: [silent, announced] },
  },
  { metadata: { name: 'nameless' }, status: { conditions: [silent, announced] } },
];

export const allowedToController: Readonly<Record<string, AccessRequest>> = {
  'initialise a Node': patch('fresh-one', {
    metadata: {
      labels: {
        'topology.kubernetes.io/zone': 'us-west-2a',
        'topology.kubernetes.io/region': 'us-west-2',
        'failure-domain.beta.kubernetes.io/zone': 'us-west-2a',
        'failure-domain.beta.kubernetes.io/region': 'us-west-2',
        'node.kubernetes.io/instance-type': 'm7g.large',
        'beta.kubernetes.io/instance-type': 'm7g.large',
        'topology.k8s.aws/zone-id': 'usw2-az1',
        'topology.kubernetes.azure.com/sub-fault-domain': '1',
      },
      annotations: { 'polycloud.dev/instance-id': '1' },
    },
    spec: { ...providerId, taints: [foreign, notReady] },
  }),
  'set addresses': status('fresh-one', { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] }),
  'set the labels of an inventory': patch('metal', { metadata: { labels: { 'example.com/rack': 'r1' } } }),
  'taint a stopped instance': taints('fresh-one', [uninitialized, foreign, notReady, shutdown]),
  'report an instance': condition('fresh-one', announced),
  'delete a Node that it has reported': remove('gone'),
  'take the Lease': {
    method: 'PATCH',
    path: `${leases}/cloud-controller-manager?dryRun=All`,
    body: { spec: { holderIdentity: 'somebody' } },
  },
};

/** What the controller may not do, and the API server's refusal. */
export const refusedToController: Readonly<Record<string, readonly [AccessRequest, RegExp]>> = {
  'delete a Node that is Ready': [remove('awake'), /may not delete a Node that is Ready/],
  'delete a Node without a report': [remove('unreported'), /only a Node whose condition polycloud.dev\/Instance/],
  'delete a Node whose instance was found again': [remove('found-again'), /only a Node whose condition/],
  'delete a Node that was never initialised': [remove('never-known'), /only a Node that has a providerID and is init/],
  'delete a Node without a providerID': [remove('nameless'), /only a Node that has a providerID and is initialised/],
  'delete an excluded Node': [remove('control-plane'), /excludes this Node from the controller/],
  'change an excluded Node': [taints('control-plane', [shutdown]), /excludes this Node from the controller/],
  'include an excluded Node': [
    patch('control-plane', { metadata: { labels: { 'polycloud.dev/cloud': null } } }),
    /excludes this Node from the controller/,
  ],
  'throw all pods off by a taint': [
    taints('fresh-one', [uninitialized, foreign, notReady, { key: 'example.com/out', effect: 'NoExecute' }]),
    /may change no other taint/,
  ],
  'throw them off by the shutdown taint': [
    taints('fresh-one', [uninitialized, foreign, notReady, { ...shutdown, effect: 'NoExecute' }]),
    /only the shutdown taint, with the effect NoSchedule/,
  ],
  'remove a taint of others': [taints('fresh-one', [uninitialized, notReady]), /may change no other taint/],
  'make a Node uninitialised': [taints('metal', [notReady, uninitialized]), /may add only the shutdown taint/],
  'cordon a Node': [patch('fresh-one', { spec: { unschedulable: true } }), /only providerID and taints/],
  'draw pods by a role': [
    patch('fresh-one', { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } }),
    /labels: node-role.kubernetes.io\/control-plane$/,
  ],
  'draw pods by a role on a static Node': [
    patch('metal', { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } }),
    /labels: node-role.kubernetes.io\/control-plane$/,
  ],
  'draw pods by a label of the cluster’s own': [
    patch('fresh-one', { metadata: { labels: { 'example.com/pool': 'b' } } }),
    /labels: example.com\/pool$/,
  ],
  'confirm deletions': [
    patch('fresh-one', { metadata: { annotations: { 'polycloud.dev/confirm-deletions': 'word' } } }),
    /annotations: polycloud.dev\/confirm-deletions$/,
  ],
  'remove an annotation': [
    patch('fresh-one', { metadata: { annotations: { 'example.com/note': null } } }),
    /annotations: example.com\/note$/,
  ],
  'remove a finalizer': [patch('fresh-one', { metadata: { finalizers: null } }), /only labels and annotations/],
  'have a Node collected as garbage': [
    patch('fresh-one', { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'x' }] } }),
    /only labels and annotations/,
  ],
  'say that a Node is not Ready': [
    condition('fresh-one', { type: 'Ready', status: 'False' }),
    /only the condition polycloud.dev\/Instance/,
  ],
  'claim more capacity': [status('fresh-one', { capacity: { cpu: '2000' } }), /only addresses and its conditions/],
  'read secrets': [{ method: 'GET', path: '/api/v1/secrets' }, /cannot list resource "secrets"/],
  'read pods': [{ method: 'GET', path: '/api/v1/pods' }, /cannot list resource "pods"/],
  'create pods': [
    { method: 'POST', path: '/api/v1/namespaces/default/pods', body: {} },
    /cannot create resource "pods"/,
  ],
  'create Nodes': [{ method: 'POST', path: '/api/v1/nodes', body: {} }, /cannot create resource "nodes"/],
  'delete all Nodes at once': [{ method: 'DELETE', path: '/api/v1/nodes' }, /cannot deletecollection resource "nodes"/],
  'reach kubelets': [{ method: 'GET', path: '/api/v1/nodes/fresh/proxy/pods' }, /cannot get resource "nodes\/proxy"/],
  'read another ConfigMap': [
    { method: 'GET', path: '/api/v1/namespaces/kube-system/configmaps/polycloud-config' },
    /cannot get resource "configmaps"/,
  ],
  'change the one that it reads': [
    { method: 'PATCH', path: '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication', body: {} },
    /cannot patch resource "configmaps"/,
  ],
  'take the Lease of another': [{ method: 'PATCH', path: `${leases}/kube-scheduler`, body: {} }, /cannot patch/],
  'delete its own Lease': [{ method: 'DELETE', path: `${leases}/cloud-controller-manager` }, /cannot delete/],
  'tell events elsewhere': [
    { method: 'POST', path: '/api/v1/namespaces/kube-public/events', body: {} },
    /cannot create resource "events"/,
  ],
  'tell events about others': [
    eventAbout({ apiVersion: 'v1', kind: 'Pod', name: 'etcd' }),
    /events only about Nodes and its own Lease/,
  ],
  'tell events about the Leases of others': [
    eventAbout({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: 'kube-scheduler' }),
    /events only about Nodes and its own Lease/,
  ],
  'ask for tokens': [
    { method: 'POST', path: '/api/v1/namespaces/kube-system/serviceaccounts/default/token', body: {} },
    /cannot create resource "serviceaccounts\/token"/,
  ],
  'read services': [{ method: 'GET', path: '/api/v1/services' }, /cannot list resource "services"/],
  'lift what holds it': [
    {
      method: 'DELETE',
      path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/polycloud-ccm',
    },
    /cannot delete/,
  ],
};

export const eventOnOwnLease = eventAbout({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  name: 'cloud-controller-manager',
});

function eventAbout(involved: object): AccessRequest {
  const namespace = 'kube-system';
  const involvedObject = { namespace, ...involved };
  const body = { metadata: { generateName: 'x.', namespace }, involvedObject, reason: 'X', type: 'Normal' };
  return { method: 'POST', path: `/api/v1/namespaces/${namespace}/events?dryRun=All`, body };
}

function patch(target: string, body: object): AccessRequest {
  return { method: 'PATCH', path: `/api/v1/nodes/${target}?dryRun=All`, body };
}

function taints(name: string, list: readonly object[]): AccessRequest {
  return patch(name, { spec: { taints: list } });
}

function status(name: string, changed: object): AccessRequest {
  return patch(`${name}/status`, { status: changed });
}

function condition(name: string, one: object): AccessRequest {
  return { ...status(name, { conditions: [one] }), patchType: 'strategic-merge' };
}

function remove(name: string): AccessRequest {
  return { method: 'DELETE', path: `/api/v1/nodes/${name}?dryRun=All` };
}
