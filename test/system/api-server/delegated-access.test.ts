import { readFile } from 'node:fs/promises';
import t from 'tap';
import type { Test } from 'tap';
import { systemClock } from '../../../lib/clock.ts';
import { kubeconfigAccess } from '../../../lib/kubernetes/access/kubeconfig-access.ts';
import { createClient } from '../../../lib/kubernetes/client.ts';
import type { KubernetesClient } from '../../../lib/kubernetes/client.ts';
import { defaultLimits } from '../../../lib/kubernetes/open-client.ts';
import { delegatedAccess } from '../../../lib/server/access/request-access.ts';
import { clusterClientAuthorities } from '../../../lib/server/access/client-authorities.ts';
import { kubernetesReviews } from '../../../lib/server/access/reviews.ts';
import type { ControlPlane } from '../../lab/control-plane/control-plane.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { requires } from '../../lab/requires.ts';
import { sendRequest } from '../../lib/server/send-request.ts';
import { startTestServer } from '../../lib/server/test-server.ts';

const account = { namespace: 'default', name: 'scraper' };
const found = await findPrograms();

await t.test('a real API server decides who may read what', requires(found), async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const client = clientOf(t, await kubeconfigOfController(plane));
  const access = delegatedAccess(kubernetesReviews(client, client), 10_000, systemClock);
  const clientAuthorities = clusterClientAuthorities(client, systemClock);
  const { port, lines } = await startTestServer(t, { access, clientAuthorities });
  await plane.kubectl(['create', 'serviceaccount', account.name]);
  const options = { audiences: [], expirationSeconds: 600 };
  const [good, foreign] = [
    await plane.tokenFor(account, options),
    await plane.tokenFor(account, { ...options, audiences: ['somebody-else'] }),
  ];
  const withToken = (token: string): object => ({ headers: { authorization: `Bearer ${token}` } });

  await t.test('a service account without the right, and with it', async (t) => {
    const refusal = await sendRequest(port, '/metrics', withToken(good));
    t.match(refusal, { status: 403, text: /system:serviceaccount:default:scraper/ });
    const verbs = ['--verb=get', '--non-resource-url=/metrics'];
    await plane.kubectl(['create', 'clusterrole', 'scrape', ...verbs]);
    const subject = `--serviceaccount=${account.namespace}:${account.name}`;
    await plane.kubectl(['create', 'clusterrolebinding', 'scrape', '--clusterrole=scrape', subject]);
    const fresh = await startTestServer(t, {
      access: delegatedAccess(kubernetesReviews(client, client), 10_000, systemClock),
      clientAuthorities,
    });
    t.match(await sendRequest(fresh.port, '/metrics', withToken(good)), { status: 200, text: /^seen_total 7$/m });
    t.match(await sendRequest(fresh.port, '/statusz', withToken(good)), { status: 403 });
  });

  await t.test('tokens for others, broken ones and none', async (t) => {
    t.match(await sendRequest(port, '/metrics', withToken(foreign)), { status: 401 });
    t.match(await sendRequest(port, '/metrics', withToken(`${good.slice(0, -4)}abcd`)), { status: 401 });
    t.match(await sendRequest(port, '/metrics', {}), { status: 403, text: /system:anonymous/ });
    t.match(await sendRequest(port, '/healthz', {}), { status: 200 });
  });

  await t.test("certificates of the cluster's clients", async (t) => {
    const master = await shown(plane, 'master', ['system:masters']);
    t.match(await sendRequest(port, '/statusz', master), { status: 200 });
    t.match(await sendRequest(port, '/statusz', await shown(plane, 'guest', ['guests'])), {
      status: 403,
      text: /guest/,
    });
  });

  await t.test('no token has reached the log', (t) => {
    for (const token of [good, foreign]) t.notMatch(lines.join('\n'), token.slice(-20));
    t.end();
  });

  await t.test('without the API server no one has access, but probes work', async (t) => {
    await plane.stopApiServer();
    const changed = withToken(`${good}x`);
    t.match(await sendRequest(port, '/metrics', changed), { status: 503 });
    t.match(await sendRequest(port, '/livez', {}), { status: 200 });
  });
});

/** A user who may create only TokenReviews and SubjectAccessReviews. */
async function kubeconfigOfController(plane: ControlPlane): Promise<string> {
  const user = '--user=controller';
  await plane.kubectl(['create', 'clusterrolebinding', 'ask', '--clusterrole=system:auth-delegator', user]);
  const role = '--role=extension-apiserver-authentication-reader';
  await plane.kubectl(['-n', 'kube-system', 'create', 'rolebinding', 'ask', role, user]);
  return plane.kubeconfigFor('controller', []);
}

function clientOf(t: Test, kubeconfig: string): KubernetesClient {
  const access = kubeconfigAccess(kubeconfig, { env: process.env, clock: systemClock });
  const userAgent = 'polycloud-test';
  const client = createClient({ access, userAgent, limits: defaultLimits, clock: systemClock, random: Math.random });
  t.teardown(() => client.close());
  return client;
}

async function shown(plane: ControlPlane, user: string, groups: readonly string[]): Promise<object> {
  const { keyFile, certificateFile } = await plane.authority.issueClient(user, { user, groups });
  return { key: await readFile(keyFile, 'utf8'), cert: await readFile(certificateFile, 'utf8') };
}
