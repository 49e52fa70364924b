import type { AccessRequest } from './cluster.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

/** What the controller's token allows on a Node that the controller does not manage, as SECURITY.md lists it. */
export const allowedToController: Readonly<Record<string, AccessRequest>> = {
  'throw all pods off by a taint': patchNode('', {
    spec: { taints: [{ key: 'example.com/out', effect: 'NoExecute' }] },
  }),
  'draw pods by a label': patchNode('', { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } }),
  'confirm deletions': patchNode('', { metadata: { annotations: { 'polycloud.dev/confirm-deletions': 'word' } } }),
  'give other addresses': patchNode('/status', {
    status: { addresses: [{ type: 'InternalIP', address: '10.9.9.9' }] },
  }),
  'say that it is not Ready': {
    ...patchNode('/status', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
    patchType: 'strategic-merge',
  },
  'delete it': { method: 'DELETE', path: '/api/v1/nodes/control-plane?dryRun=All' },
  'take the Lease': {
    method: 'PATCH',
    path: `${leases}/cloud-controller-manager?dryRun=All`,
    body: { spec: { holderIdentity: 'somebody' } },
  },
};

function patchNode(subresource: '' | '/status', body: object): AccessRequest {
  return { method: 'PATCH', path: `/api/v1/nodes/control-plane${subresource}?dryRun=All`, body };
}

/** What the controller may not do, and the API server's refusal. */
export const refusedToController: Readonly<Record<string, readonly [AccessRequest, RegExp]>> = {
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
    { method: 'POST', path: '/api/v1/namespaces/kube-system/events', body: {} },
    /cannot create resource "events"/,
  ],
  'ask for tokens': [
    { method: 'POST', path: '/api/v1/namespaces/kube-system/serviceaccounts/default/token', body: {} },
    /cannot create resource "serviceaccounts\/token"/,
  ],
  'read services': [{ method: 'GET', path: '/api/v1/services' }, /cannot list resource "services"/],
};
