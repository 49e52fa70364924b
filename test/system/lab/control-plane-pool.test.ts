import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { acquireControlPlane } from '../../lab/control-plane/pool/pool-client.ts';
import { startPoolServer } from '../../lab/control-plane/pool/pool-server.ts';
import type { SharedControlPlane } from '../../lab/control-plane/shared.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { requires } from '../../lab/requires.ts';

const soon = { withinMs: 20_000, everyMs: 20 };
const builtInRole = '/apis/rbac.authorization.k8s.io/v1/clusterroles/view';
const places = [
  '/api/v1/nodes',
  '/api/v1/namespaces',
  '/api/v1/pods',
  '/api/v1/serviceaccounts',
  '/api/v1/events',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
];

const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object' } },
      },
    ],
  },
};

const policy = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'left' },
  spec: {
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    },
    validations: [{ expression: 'true' }],
  },
};

const said: string[] = [];

await t.test('control planes that are lent', requires(await findPrograms()), async (t) => {
  const { socketPath, stop } = await startPoolServer((line) => said.push(line));
  t.teardown(stop);
  const first = await acquireControlPlane(socketPath);
  const before = await contentOf(first);
  await makeTraces(first);
  t.notSame(await contentOf(first), before, 'there is something to clear away');
  await first.release();

  await t.test('the next one finds nothing of what the last one left', async (t) => {
    const next = await acquireControlPlane(socketPath);
    t.equal(next.url, first.url, 'it is the same control plane');
    t.strictSame(await contentOf(next), before);
    t.match(await next.kubectl(['get', 'namespaces', '--output=name']), /^namespace\/default$/m);
    await t.rejects(next.kubectl(['get', 'widgets']), /doesn't have a resource type/);
    const users = (await next.auditEvents()).map(({ user }) => user.username);
    t.notOk(users.includes('visitor'), 'nor in the audit log');
    await next.release();
  });

  await t.test('the same names can be used again, and mean something new', async (t) => {
    const next = await acquireControlPlane(socketPath);
    const visitor = await next.kubeconfigFor('visitor', []);
    await t.rejects(next.kubectl(['--kubeconfig', visitor, 'get', 'nodes']), /cannot list resource "nodes"/);
    await makeTraces(next);
    await next.release();
  });

  await t.test('two at the same time have one each', async (t) => {
    const [one, other] = [await acquireControlPlane(socketPath), await acquireControlPlane(socketPath)];
    t.not(one.url, other.url);
    await Promise.all([one.release(), other.release()]);
  });

  await t.test('after a problem it is not lent again, and its logs stay', async (t) => {
    const troubled = await acquireControlPlane(socketPath);
    await troubled.discard();
    t.ok(existsSync(troubled.logDirectory));
    await t.rejects(troubled.ask('GET', '/readyz'));
    await rm(dirname(troubled.logDirectory), { recursive: true });
    const next = await acquireControlPlane(socketPath);
    t.not(next.url, troubled.url);
    await next.release();
  });

  await t.test('a process that is killed has had trouble', async (t) => {
    const script = `
      import { acquireControlPlane } from ${JSON.stringify(fileURLToPath(new URL('../../lab/control-plane/pool/pool-client.ts', import.meta.url)))};
      const { url, logDirectory } = await acquireControlPlane(${JSON.stringify(socketPath)});
      console.log(JSON.stringify({ url, logDirectory }));
    `;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const killed = JSON.parse(line) as Pick<SharedControlPlane, 'url' | 'logDirectory'>;
    child.kill('SIGKILL');
    const directory = dirname(killed.logDirectory);
    // Its logs are all that is left of it.
    await waitUntil({ what: 'it is stopped', ...soon }, () =>
      Promise.resolve(readdirSync(directory).length === 1 || undefined),
    );
    await rm(directory, { recursive: true });
    const next = await acquireControlPlane(socketPath);
    t.not(next.url, killed.url);
    await next.release();
  });

  await t.test('one that the API server would be slow to clear is replaced', async (t) => {
    const slow = await acquireControlPlane(socketPath);
    await slow.ask('POST', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', policy);
    await slow.release();
    const next = await acquireControlPlane(socketPath);
    t.not(next.url, slow.url);
    t.match(said.join('\n'), /^a control plane is replaced: .*validatingadmissionpolicies/m);
    await next.release();
  });
});

/** Objects of every kind that is hard to clear away. */
async function makeTraces(plane: SharedControlPlane): Promise<void> {
  await plane.kubectl(['create', 'namespace', 'left']);
  await plane.kubectl(['--namespace', 'left', 'create', 'serviceaccount', 'left']);
  await plane.kubectl(['create', 'clusterrolebinding', 'left', '--clusterrole=cluster-admin', '--user=visitor']);
  await post(plane, '/api/v1/nodes', { metadata: { name: 'left', finalizers: ['example.com/never'] } });
  await plane.ask('DELETE', '/api/v1/nodes/left');
  const container = { name: 'a', image: 'a' };
  await post(plane, '/api/v1/namespaces/left/pods', {
    metadata: { name: 'left' },
    spec: { nodeName: 'left', containers: [container], serviceAccountName: 'left' },
  });
  await post(plane, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', widgets);
  await plane.ask('PATCH', builtInRole, { metadata: { labels: { left: 'yes' } } });
  await plane.ask('DELETE', '/apis/rbac.authorization.k8s.io/v1/clusterroles/edit');
  const visitor = await plane.kubeconfigFor('visitor', []);
  await waitUntil({ what: 'the visitor is let in', ...soon }, () =>
    plane.kubectl(['--kubeconfig', visitor, 'get', 'nodes']).then(
      () => true as const,
      () => undefined,
    ),
  );
}

async function post(plane: SharedControlPlane, path: string, body: object): Promise<void> {
  const { status, body: answer } = await plane.ask('POST', path, body);
  if (status !== 201) throw new Error(`${path}: ${String(status)} ${JSON.stringify(answer)}`);
}

/** By path, the names and labels of what is there. */
async function contentOf(plane: SharedControlPlane): Promise<Readonly<Record<string, unknown>>> {
  const lists = places.map(async (path) => {
    const { items } = (await plane.ask('GET', path)).body as { readonly items: readonly Item[] };
    return [path, items.map(({ metadata: { name, labels } }) => ({ name, labels }))] as const;
  });
  return Object.fromEntries(await Promise.all(lists));
}

interface Item {
  readonly metadata: { readonly name: string; readonly labels?: object };
}
