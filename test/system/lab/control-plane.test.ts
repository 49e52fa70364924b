import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { loadavg, cpus } from 'node:os';
import t from 'tap';
import { requires } from '../../lab/requires.ts';
import { startControlPlane } from '../../lab/control-plane/control-plane.ts';
import type { ControlPlane } from '../../lab/control-plane/control-plane.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { issuer } from '../../lab/control-plane/parts.ts';
import { processesMentioning } from '../../lab/control-plane/sessions.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';

const soon = { withinMs: 20_000, everyMs: 20 };
const found = await findPrograms();

await t.test('one control plane', requires(found), async (t) => {
  const loadBefore = loadavg()[0] ?? 0;
  const startedAtMs = performance.now();
  const plane = await controlPlaneFor(t, { parts: [] });
  const durationMs = performance.now() - startedAtMs;

  await t.test('is ready soon', async (t) => {
    t.comment(`ready in ${durationMs.toFixed(0)} ms at load ${loadBefore.toFixed(1)}`);
    // Others at work get their share.
    const share = Math.max(1, (loadBefore + cpus().length) / cpus().length);
    t.ok(durationMs < 5_000 * share, `${durationMs.toFixed(0)} ms`);
  });

  await t.test('is of the right version, and kubectl too', async (t) => {
    const version = JSON.parse(await plane.kubectl(['version', '--output=json'])) as unknown;
    const right = { gitVersion: 'v1.37.1' };
    t.match(version, { clientVersion: right, serverVersion: { ...right, major: '1', minor: '37' } });
  });

  await t.test('a user without a role may do nothing', async (t) => {
    const kubeconfig = await plane.kubeconfigFor('stranger', ['outsiders']);
    const list = ['--kubeconfig', kubeconfig, 'get', 'nodes', '--output=name'];
    await t.rejects(plane.kubectl(list), /"stranger" cannot list resource "nodes"/);
    await plane.kubectl(['create', 'clusterrole', 'look', '--verb=list', '--resource=nodes']);
    await plane.kubectl(['create', 'clusterrolebinding', 'look', '--clusterrole=look', '--group=outsiders']);
    const allowed = (): Promise<true | undefined> =>
      plane.kubectl(list).then(
        () => true as const,
        () => undefined,
      );
    t.ok(await waitUntil({ what: 'the role', ...soon }, allowed));
  });

  await t.test('a node may change its own Node and no other', async (t) => {
    for (const name of ['node-1', 'node-2']) await plane.ask('POST', '/api/v1/nodes', nodeNamed(name));
    const kubeconfig = await plane.kubeconfigFor('system:node:node-1', ['system:nodes']);
    const asNode = (args: readonly string[], input?: string): Promise<string> =>
      plane.kubectl(['--kubeconfig', kubeconfig, ...args], input);

    t.match(await asNode(['label', 'node', 'node-1', 'topology.kubernetes.io/zone=a']), /labeled/);
    const reserved = asNode(['label', 'node', 'node-1', 'node-restriction.kubernetes.io/rack=1']);
    await t.rejects(reserved, /is not allowed to modify labels: node-restriction/);
    await t.rejects(asNode(['taint', 'node', 'node-1', 'a=b:NoSchedule']), /"node-1" is not allowed to modify taints/);
    const { body } = await plane.ask('GET', '/api/v1/nodes/node-2');
    const replaced = asNode(['replace', '--raw=/api/v1/nodes/node-2', '--filename=-'], JSON.stringify(body));
    await t.rejects(replaced, /node "node-1" is not allowed to modify node "node-2"/);
    await t.rejects(asNode(['delete', 'node', 'node-2']), /"system:node:node-1" cannot delete resource "nodes"/);
  });

  await t.test('a service account’s token works, and only where its audience is', async (t) => {
    await plane.kubectl(['create', 'serviceaccount', 'worker']);
    const worker = { namespace: 'default', name: 'worker' };
    const right = await plane.tokenFor(worker, { audiences: [], expirationSeconds: 600 });
    const elsewhere = await plane.tokenFor(worker, { audiences: ['sts.amazonaws.com'], expirationSeconds: 600 });
    t.match(decodeClaims(elsewhere), {
      iss: issuer,
      aud: ['sts.amazonaws.com'],
      sub: 'system:serviceaccount:default:worker',
    });

    t.match(await whoAmI(plane, right), 'system:serviceaccount:default:worker');
    await t.rejects(whoAmI(plane, elsewhere), /Unauthorized|must be logged in/);
    t.equal(await reviewed(plane, elsewhere, ['sts.amazonaws.com']), true);
    t.equal(await reviewed(plane, elsewhere, ['somewhere.else']), false);
    const nobody = { namespace: 'default', name: 'nobody' };
    await t.rejects(plane.tokenFor(nobody, { audiences: [], expirationSeconds: 600 }), /nobody: 404/);
  });

  await t.test('the audit log has who did what', async (t) => {
    const kubeconfig = await plane.kubeconfigFor('system:node:node-1', ['system:nodes']);
    await plane.kubectl(['--kubeconfig', kubeconfig, 'annotate', 'node', 'node-1', 'lab/seen=yes']);
    const seen = await waitUntil({ what: 'the audit event', ...soon }, async () =>
      (await plane.auditEvents()).findLast(({ verb, user }) => verb === 'patch' && user.username.endsWith('node-1')),
    );
    t.match(seen, {
      user: { groups: ['system:nodes', 'system:authenticated'] },
      objectRef: { resource: 'nodes', name: 'node-1' },
      responseStatus: { code: 200 },
      requestObject: { metadata: { annotations: { 'lab/seen': 'yes' } } },
    });
    t.match(seen.userAgent, /^kubectl\/v1\.37\.1/);
    const tokens = (await plane.auditEvents()).filter(({ objectRef }) => objectRef?.subresource === 'token');
    t.ok(tokens.length > 0 && tokens.every(({ requestObject }) => requestObject === undefined));
  });

  await t.test('a server next to it reads the trusted authorities from it', async (t) => {
    const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
    const { body } = await plane.ask('GET', path);
    const { data } = body as { data: Record<string, string> };
    t.equal(data['client-ca-file'], plane.certificateAuthority.pem);
    t.match(data['requestheader-client-ca-file'], /BEGIN CERTIFICATE/);
    t.not(data['requestheader-client-ca-file'], plane.certificateAuthority.pem);
    t.equal(data['requestheader-allowed-names'], '["front-proxy-client"]');
  });

  await t.test('two do not disturb each other', async (t) => {
    const other = await controlPlaneFor(t, { parts: [] });
    t.not(other.url, plane.url);
    await other.ask('POST', '/api/v1/nodes', nodeNamed('only-there'));
    t.equal((await plane.ask('GET', '/api/v1/nodes/only-there')).status, 404);
    t.equal((await other.ask('GET', '/api/v1/nodes/node-1')).status, 404);
    await t.rejects(other.kubectl(['--server', plane.url, 'get', 'nodes']), /certificate/);
    await other.stop();
    t.equal((await plane.ask('GET', '/readyz')).status, 200);
  });

  for (const how of ['stopApiServer', 'killApiServer'] as const) {
    await t.test(`after ${how} it comes back with its port and its data`, async (t) => {
      const before = plane.pid('kube-apiserver');
      await plane[how]();
      await t.rejects(plane.ask('GET', '/readyz'), { code: 'ECONNREFUSED' });
      t.throws(() => plane.pid('kube-apiserver'), /does not run/);
      await plane.startApiServer();
      t.not(plane.pid('kube-apiserver'), before);
      t.equal((await plane.ask('GET', '/api/v1/nodes/node-1')).status, 200);
      await t.rejects(plane.startApiServer(), /runs already/);
    });
  }

  await t.test('while it is paused it does not answer, and then it does', async (t) => {
    plane.pause('kube-apiserver');
    const answer = plane.ask('GET', '/readyz').then(() => 'an answer');
    const asked = await Promise.race([answer, stateOf(plane.pid('kube-apiserver'))]);
    t.equal(asked, 'T');
    plane.resume('kube-apiserver');
    t.equal(await answer, 'an answer');
  });
});

await t.test('with all parts, pods are made and find their place', requires(found), async (t) => {
  const plane = await controlPlaneFor(t, { parts: ['kube-controller-manager', 'kube-scheduler'] });
  await plane.ask('POST', '/api/v1/nodes', nodeNamed('node-1'));
  const status = { capacity: { cpu: '4', memory: '8Gi', pods: '10' }, conditions: [{ type: 'Ready', status: 'True' }] };
  await plane.ask('PATCH', '/api/v1/nodes/node-1/status', { status });
  await plane.kubectl(['create', 'deployment', 'web', '--image=lab/web:1', '--replicas=2']);
  const placed = await waitUntil({ what: 'two pods in their place', ...soon }, async () => {
    const { body } = await plane.ask('GET', '/api/v1/namespaces/default/pods');
    const { items } = body as { items: readonly { spec: { nodeName?: string } }[] };
    const nodes = items.flatMap(({ spec }) => spec.nodeName ?? []);
    return nodes.length === 2 ? nodes : undefined;
  });
  t.same(placed, ['node-1', 'node-1']);

  const stoppedAtMs = performance.now();
  await plane.stopApiServer();
  const durationMs = performance.now() - stoppedAtMs;
  t.ok(durationMs < 8_000, `it does not wait for those who watch: ${durationMs.toFixed(0)} ms`);
});

await t.test('stopping leaves nothing', requires(found), async (t) => {
  const plane = await startControlPlane({ parts: [] });
  const directory = dirname(plane.logDirectory);
  t.not(processesMentioning(directory).length, 0);
  plane.pause('etcd');
  await plane.stop();
  await nothingRunsIn(directory);
  t.notOk(existsSync(directory));
  await plane.stop();
});

await t.test('the logs can be kept', requires(found), async (t) => {
  const plane = await startControlPlane({ parts: [] });
  const directory = dirname(plane.logDirectory);
  await plane.stopAndKeepLogs();
  await nothingRunsIn(directory);
  t.same(readdirSync(directory), ['logs']);
  t.same(readdirSync(plane.logDirectory).sort(), ['audit.log', 'etcd.log', 'kube-apiserver.log']);
  await plane.stop();
  t.notOk(existsSync(directory));
});

async function nothingRunsIn(directory: string): Promise<void> {
  const isOver = async (): Promise<true | undefined> => processesMentioning(directory).length === 0 || undefined;
  await waitUntil({ what: 'the end of all processes', ...soon }, isOver);
}

function nodeNamed(name: string): object {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name } };
}

function decodeClaims(token: string): unknown {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

async function whoAmI(plane: ControlPlane, token: string): Promise<string> {
  const kubeconfig = await plane.kubeconfigWithToken(token);
  return plane.kubectl(['--kubeconfig', kubeconfig, 'auth', 'whoami']);
}

async function reviewed(plane: ControlPlane, token: string, audiences: readonly string[]): Promise<boolean> {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token, audiences } };
  const { body } = await plane.ask('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
  return (body as { status: { authenticated?: boolean } }).status.authenticated ?? false;
}

/** `T`: paused. */
async function stateOf(pid: number): Promise<string> {
  const isPaused = async (): Promise<'T' | undefined> =>
    (await readFile(`/proc/${String(pid)}/stat`, 'utf8')).includes(') T ') ? 'T' : undefined;
  return waitUntil({ what: 'a paused process', ...soon }, isPaused);
}
