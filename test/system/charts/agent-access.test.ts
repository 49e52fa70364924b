import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { allowed, newNode, foreignTaints, refused, uninitialized } from './agent-permissions.ts';
import { render } from '../../lab/helm/chart.ts';
import { apply, callerWith, createNode, tokenOfPod } from './cluster.ts';
import type { AccessRequest } from './cluster.ts';
import { waitForPolicies } from './wait-for-policies.ts';

const [programs, helm] = [await findPrograms(), await findHelm()];
const values = { ccm: { enabled: false }, agent: { extraLabels: ['example.com/rack', 'rack.example.com/'] } };

/** All that only an interruption needs. */
const ofInterruptions = [
  'taint its Node for an interruption',
  'cordon and taint at once',
  'keep the state of a drain',
  'report an interruption',
  'delete a pod of its Node',
  'evict a pod',
];
const grantedByMode: Readonly<Record<string, readonly string[]>> = {
  taint: ['taint its Node for an interruption', 'keep the state of a drain', 'report an interruption'],
  report: ['keep the state of a drain', 'report an interruption'],
  ignore: [],
};

const timeout = 120_000;
t.setTimeout(timeout);

const supported = requires(programs.available ? helm : programs);
await t.test('what an agent may do', { ...supported, timeout }, async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const manifests = await render(values);
  await apply(plane, manifests);
  for (const name of ['own', 'other']) await createNode(plane, newNode(name));
  const agent = { kind: 'DaemonSet', name: 'polycloud-node-agent', nodeName: 'own' };
  const own = callerWith(plane, await tokenOfPod(plane, manifests, agent));
  await tokenOfPod(plane, manifests, { ...agent, nodeName: 'other' });
  await waitForPolicies(own);

  await t.test('is all that it needs', async (t) => {
    for (const [what, wish] of Object.entries(allowed)) {
      const { status, message } = await own.ask(wish);
      t.match(status, /^20[01]$/, `${what} ${message}`);
    }
  });

  await t.test('and no more', async (t) => {
    for (const [what, [wish, why]] of Object.entries(refused)) {
      const { status, message } = await own.ask(wish);
      t.equal(status, 403, what);
      t.match(message, why, what);
    }
  });

  await t.test('a token that is bound to no pod changes nothing', async (t) => {
    const account = { namespace: 'kube-system', name: 'polycloud-node-agent' };
    const loose = callerWith(plane, await plane.tokenFor(account, { audiences: [], expirationSeconds: 600 }));
    const changing = Object.values(allowed).filter(({ method }) => method !== 'GET');
    t.ok(changing.length > 5);
    for (const wish of changing) {
      t.match(await loose.ask(wish), { status: 403, message: /this pod runs on a node that its token does not name/ });
    }
  });

  for (const [mode, granted] of Object.entries(grantedByMode)) {
    await t.test(`about an interruption an agent in the mode ${mode} may do less`, async (t) => {
      await apply(plane, await render({ ...values, agent: { ...values.agent, interruption: { mode } } }));
      const wishes = ofInterruptions.map((what) => [what, allowed[what]] as const);
      const statuses = async (): Promise<Readonly<Record<string, number>>> => {
        const answers = wishes.map(async ([what, wish]) => [
          what,
          wish === undefined ? 0 : (await own.ask(wish)).status,
        ]);
        return Object.fromEntries(await Promise.all(answers)) as Readonly<Record<string, number>>;
      };
      const expected = Object.fromEntries(ofInterruptions.map((what) => [what, granted.includes(what) ? 200 : 403]));
      await waitUntil({ what: `the permissions of ${mode}`, withinMs: 30_000, everyMs: 100 }, async () =>
        isDeepStrictEqual(await statuses(), expected) ? true : undefined,
      );
      t.strictSame(await statuses(), expected);
    });
  }

  await t.test('a Node is initialised in the two writes that the agent makes, and then the rest is shut', async (t) => {
    const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
    const labels = { 'topology.kubernetes.io/zone': 'us-west-2a' };
    const annotations = { 'polycloud.dev/described-by-agent': 'aws' };
    const spec = { providerID: 'aws:///us-west-2a/i-1', taints: foreignTaints };
    t.match(await own.ask(patchOwn('/status', { status: { addresses } })), { status: 200 });
    t.match(await own.ask(patchOwn('', { metadata: { labels, annotations }, spec })), { status: 200 });
    const again = await own.ask(patchOwn('', { spec: { taints: [uninitialized, ...foreignTaints] } }));
    t.match(again, { status: 403, message: /remove the uninitialized taint, not add it/ });
    const elsewhere = await own.ask(patchOwn('', { spec: { providerID: 'aws:///us-west-2a/i-2' } }));
    t.match(elsewhere, { status: 422, message: /cannot be modified once set/ });
  });

  await t.test('others are not held to it', async (t) => {
    const body = { metadata: { labels: { 'example.com/pool': 'b' } } };
    t.match(await plane.ask('PATCH', '/api/v1/nodes/own', body), { status: 200 });
  });
});

function patchOwn(subresource: '' | '/status', body: object): AccessRequest {
  return { method: 'PATCH', path: `/api/v1/nodes/own${subresource}`, body };
}
