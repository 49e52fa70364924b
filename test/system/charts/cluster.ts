import { readFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { json } from 'node:stream/consumers';
import { stringify } from 'yaml';
import type { SharedControlPlane } from '../../lab/control-plane/shared.ts';
import { only, release } from '../../lab/helm/chart.ts';
import type { Manifest } from '../../lab/helm/chart.ts';

/** Into a real API server, which takes nothing that it does not know. */
export async function apply(plane: SharedControlPlane, manifests: readonly Manifest[]): Promise<string> {
  const text = manifests.map((each) => stringify(each)).join('---\n');
  return plane.kubectl(['apply', '--server-side', '--validate=strict', '--filename', '-'], text);
}

/** What one who has a token may do. */
export interface Caller {
  readonly token: string;
  ask(wish: AccessRequest): Promise<AccessResponse>;
}

export interface AccessRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /** Merge, if it is left out. */
  readonly patchType?: 'strategic-merge' | 'json';
}

export interface AccessResponse {
  readonly status: number;
  /** Of a refusal. */
  readonly message: string;
}

export function callerWith(plane: SharedControlPlane, token: string): Caller {
  const ca = readFileSync(plane.certificateAuthority.file);
  return {
    token,
    ask: async ({ method, path, body, patchType }) => {
      const type = method === 'PATCH' ? `application/${patchType ?? 'merge'}-patch+json` : 'application/json';
      const sent = body === undefined ? undefined : JSON.stringify(body);
      // Without a length, Node.js sends the body of a DELETE in a form that servers ignore.
      const about = sent !== undefined && { 'content-type': type, 'content-length': Buffer.byteLength(sent) };
      const headers = { authorization: `Bearer ${token}`, ...about };
      const signal = AbortSignal.timeout(30_000);
      const request = httpsRequest(new URL(path, plane.url), { method, ca, headers, signal, agent: false });
      request.end(sent);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const { message = '' } = (await json(response)) as { readonly message?: string };
      return { status: response.statusCode ?? 0, message };
    },
  };
}

/** As the kubelet asks for it: the token of the chart's own pod, once it is on that node. */
export async function tokenOfPod(
  plane: SharedControlPlane,
  manifests: readonly Manifest[],
  workload: { readonly kind: string; readonly name: string; readonly nodeName: string },
): Promise<string> {
  const podName = `${workload.name}-on-${workload.nodeName}`;
  const template = templateOf(only(manifests, workload.kind, workload.name));
  const pod = await plane.ask('POST', `/api/v1/namespaces/${release.namespace}/pods`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template.metadata, name: podName, ownerReferences: [ownerOf(workload)] },
    spec: { ...template.spec, nodeName: workload.nodeName },
  });
  if (pod.status !== 201) throw new Error(`no pod ${podName}: ${JSON.stringify(pod.body)}`);
  const account = `/api/v1/namespaces/${release.namespace}/serviceaccounts/${workload.name}`;
  const { uid } = (pod.body as { metadata: { uid: string } }).metadata;
  const answer = await plane.ask('POST', `${account}/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: {
      audiences: [],
      expirationSeconds: 3600,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: podName, uid },
    },
  });
  if (answer.status !== 201) throw new Error(`no token for ${podName}: ${JSON.stringify(answer.body)}`);
  return (answer.body as { status: { token: string } }).status.token;
}

/** As its controller writes it. A drain spares the pods of a DaemonSet. */
function ownerOf({ kind, name }: { readonly kind: string; readonly name: string }): object {
  return { apiVersion: 'apps/v1', kind, name, uid: name, controller: true };
}

interface PodTemplate {
  readonly metadata: object;
  readonly spec: object;
}

function templateOf({ spec }: Manifest): PodTemplate {
  return (spec as { readonly template: PodTemplate }).template;
}

export interface NewNode {
  readonly metadata: { readonly name: string; readonly [more: string]: unknown };
  readonly spec?: object;
  readonly status?: object;
}

export async function createNode(plane: SharedControlPlane, node: NewNode): Promise<void> {
  const { status, body } = await plane.ask('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', ...node });
  if (status !== 201) throw new Error(`no Node ${node.metadata.name}: ${JSON.stringify(body)}`);
}
