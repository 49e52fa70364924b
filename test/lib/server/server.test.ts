import { once } from 'node:events';
import { connect } from 'node:tls';
import t from 'tap';
import { createMetrics } from '../../../lib/metrics/metrics.ts';
import { operationsPages } from '../../../lib/server/operations-pages.ts';
import { sendRequest } from './send-request.ts';
import { goodToken, startTestServer } from './test-server.ts';

const bearer = { authorization: `Bearer ${goodToken}` };

await t.test('health pages need no credentials and no review', async (t) => {
  const { port, asked } = await startTestServer(t, {});
  for (const path of ['/healthz', '/livez', '/readyz']) {
    t.match(await sendRequest(port, path, {}), { status: 200, text: 'ok' });
  }
  t.match(await sendRequest(port, '/readyz?verbose', {}), { status: 200, text: '[+]ping ok\nreadyz check passed\n' });
  t.strictSame(asked, []);
});

await t.test('live and ready are different checks, and their pages have no reasons', async (t) => {
  let problem: string | undefined = 'lease of kube-system';
  const ready = [{ name: 'nodes', problem: () => problem }];
  const routes = operationsPages({ live: [], ready, metrics: createMetrics(), status: () => '' });
  const { port } = await startTestServer(t, { pages: routes });
  t.match(await sendRequest(port, '/livez', {}), { status: 200 });
  const text = '[+]ping ok\n[-]nodes failed: reason withheld\nreadyz check failed\n';
  t.match(await sendRequest(port, '/readyz', {}), { status: 500, text });
  problem = undefined;
  t.match(await sendRequest(port, '/readyz', {}), { status: 200, text: 'ok' });
});

await t.test('metrics need permission, and the decision is cached', async (t) => {
  const { port, asked } = await startTestServer(t, {});
  for (let scrape = 0; scrape < 3; scrape += 1) {
    const reply = await sendRequest(port, '/metrics', { headers: bearer });
    t.match(reply, { status: 200, text: /^seen_total 7$/m });
    t.match(reply.headers, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' });
  }
  t.strictSame(asked, ['whose', 'scraper get /metrics']);
});

await t.test('permission for one page does not allow another', async (t) => {
  const { port } = await startTestServer(t, {});
  t.match(await sendRequest(port, '/statusz', { headers: bearer }), {
    status: 403,
    text: /user "scraper" cannot get \/statusz/,
  });
  t.match(await sendRequest(port, '/healthz/../statusz', { headers: bearer }), { status: 403 });
  t.match(await sendRequest(port, '//metrics', { headers: bearer }), { status: 403 });
});

await t.test('without credentials the API server is asked about anonymous users; a wrong token is wrong', async (t) => {
  const { port, asked, lines } = await startTestServer(t, {});
  t.match(await sendRequest(port, '/metrics', {}), { status: 403, text: /system:anonymous/ });
  t.strictSame(asked, ['system:anonymous get /metrics']);
  const reply = await sendRequest(port, '/metrics', { headers: { authorization: 'Bearer stolen-token' } });
  t.match(reply, { status: 401, text: 'Unauthorized\n' });
  t.notMatch(JSON.stringify([reply, lines]), /stolen-token/);
});

await t.test('without the API server there is no access', async (t) => {
  const access = (): Promise<{ is: 'unknown'; error: Error }> =>
    Promise.resolve({ is: 'unknown', error: new Error('x') });
  const { port } = await startTestServer(t, { access });
  t.match(await sendRequest(port, '/metrics', { headers: bearer }), { status: 503 });
  t.match(await sendRequest(port, '/healthz', {}), { status: 200 });
});

await t.test('only GET and HEAD, no bodies, no long headers', async (t) => {
  const { port } = await startTestServer(t, {});
  t.match(await sendRequest(port, '/healthz', { method: 'POST' }), { status: 405 });
  const withBody = await sendRequest(port, '/healthz', { body: 'x', headers: { 'content-length': 1 } });
  t.match(withBody, { status: 413, headers: { connection: 'close' } });
  t.match(await sendRequest(port, '/healthz', { method: 'HEAD' }), {
    status: 200,
    text: '',
    headers: { 'content-length': '2' },
  });
  t.match(await sendRequest(port, '/healthz', { headers: { 'x-long': 'x'.repeat(40_000) } }), { status: 431 });
  t.match(await sendRequest(port, '/nothing', { headers: bearer }), { status: 403 });
});

await t.test('a page that cannot be made is the log’s affair', async (t) => {
  const routes = operationsPages({
    live: [],
    ready: [],
    metrics: createMetrics(),
    status: () => {
      throw new Error('nodes are gone');
    },
  });
  const access = (): Promise<{ is: 'allowed' }> => Promise.resolve({ is: 'allowed' });
  const { port, lines } = await startTestServer(t, { pages: routes, access });
  const reply = await sendRequest(port, '/statusz', {});
  t.equal(reply.status, 500);
  t.notMatch(reply.text, /nodes/);
  t.match(lines.join('\n'), /The page "\/statusz" could not be made err="Error: nodes are gone"/);
});

await t.test('TLS 1.1 is not spoken, nor 1.2 where 1.3 is asked for', async (t) => {
  const { port } = await startTestServer(t, { tls: { minVersion: 'TLSv1.3' } });
  await t.rejects(sendRequest(port, '/healthz', { maxVersion: 'TLSv1.2' }));
  t.match(await sendRequest(port, '/healthz', {}), { status: 200 });
});

await t.test('a port in use and a certificate for another key fail at the start', async (t) => {
  const { port } = await startTestServer(t, {});
  await t.rejects(startTestServer(t, { port }), {
    kind: 'misconfigured',
    message: `port ${port} cannot be listened on`,
  });
  const certificate = () => Promise.resolve({ key: 'no', cert: 'no' });
  await t.rejects(startTestServer(t, { certificate }), { kind: 'misconfigured', message: /cannot be read/ });
});

await t.test('it closes while a client is connected', async (t) => {
  const { port, close } = await startTestServer(t, {});
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  t.teardown(() => socket.destroy());
  await once(socket, 'secureConnect');
  const cut = once(socket, 'close');
  await close();
  await cut;
  await t.rejects(sendRequest(port, '/healthz', {}), { code: 'ECONNREFUSED' });
});
