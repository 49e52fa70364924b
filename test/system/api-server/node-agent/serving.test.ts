import t from 'tap';
import { once } from 'node:events';
import { agentMetrics, interruptionMetrics } from '../../../../schemas/metrics/agent.ts';
import { daemonMetrics } from '../../../../schemas/metrics/daemon.ts';
import { checkServed } from '../../../support/declared-metrics.ts';
import { requires } from '../../../lab/requires.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import type { Namespace } from '../../../lab/network/namespace.ts';
import { startAgent, untilLogged } from './agent-process.ts';
import { requestsBy, isInitialized, register, untilNode } from './nodes.ts';
import { scraperToken } from './permissions.ts';
import { setInstance, startAgentEnvironment, environmentSupport } from './environment.ts';

const port = '10263';
const client = `
  const { get } = require('node:https');
  const { text } = require('node:stream/consumers');
  const request = get(JSON.parse(process.argv[1]), async (answer) => {
    console.log(answer.statusCode + ' ' + (await text(answer)));
  });
  request.on('error', () => console.log('0 '));
`;

await t.test('health, metrics and status', requires(await environmentSupport()), async (t) => {
  const world = await startAgentEnvironment(t);
  await setInstance(world, {});
  const serve = ['--secure-port', port, '--bind-address', '127.0.0.1'];
  const agent = startAgent(world, { nodeName: 'late', flags: ['--node-status-update-frequency', '1s', ...serve] });

  await t.test('alive, and not ready as long as there is no Node', async (t) => {
    await untilAnswered(world.namespace, '/livez', '200');
    for (const page of ['/healthz', '/livez']) t.equal(await get(world.namespace, page), '200', page);
    t.equal(await get(world.namespace, '/readyz'), '500');
  });

  await register(world, { name: 'late' });
  await untilNode(world, 'late', 'is initialised', isInitialized);
  await untilAnswered(world.namespace, '/readyz', '200');

  await t.test('metrics and status need permission', async (t) => {
    for (const page of ['/metrics', '/statusz']) t.match(await get(world.namespace, page), /^40[13]$/, page);
  });

  await t.test('with permission they are served, and many scrapes cause few reviews', async (t) => {
    const token = await scraperToken(world.plane);
    for (let scrape = 0; scrape < 5; scrape++) {
      const text = await read(world.namespace, '/metrics', token);
      t.match(text, /^200 /);
      t.match(text, /^polycloud_node_agent_metadata_reads_total\{result="success"\} [1-9]/m);
      t.match(text, /^polycloud_node_agent_writes_total\{kind="node"\} 2$/m);
      t.match(text, /^polycloud_node_agent_last_success_timestamp_seconds 1\d{9}/m);
      t.match(text, /^node_controller_initial_node_sync_delay_seconds_count 1$/m);
    }
    const page = await read(world.namespace, '/metrics', token);
    checkServed(t, page.replace('200 ', ''), [daemonMetrics, agentMetrics, interruptionMetrics]);
    t.match(await read(world.namespace, '/statusz', token), /^200 node: late: in sync/);
    const reviews = (await requestsBy(world, 'polycloud-node-agent')).filter(({ requestURI }) =>
      requestURI.includes('reviews'),
    );
    // One of each for the anonymous questions before, one token, and its two rights.
    t.ok(reviews.length <= 5, String(reviews.length));
  });
  await agent.stop();
});

await t.test('a port in use does not delay the Node', requires(await environmentSupport()), async (t) => {
  const world = await startAgentEnvironment(t);
  await setInstance(world, {});
  const script = `require('node:net').createServer().listen(${port}, () => console.log('listening'))`;
  const squatter = world.namespace.start(process.execPath, ['-e', script], {});
  await once(squatter.stdout, 'data');
  await register(world, { name: 'node' });
  const agent = startAgent(world, { nodeName: 'node', flags: ['--secure-port', port] });
  await untilLogged(agent, /"Health and metrics are not served" err="port 10263 cannot be listened on"/);
  await untilNode(world, 'node', 'is initialised', isInitialized);
  t.equal((await agent.stop()).code, 0);
  squatter.kill();
});

/** The status of a request from inside without a token. The agent has only a certificate of its own. */
async function get(namespace: Namespace, page: string): Promise<string> {
  return (await read(namespace, page)).split(' ', 1)[0] ?? '';
}

/** Status and text. */
async function read(namespace: Namespace, page: string, token?: string): Promise<string> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const options = JSON.stringify({ host: '127.0.0.1', port, path: page, rejectUnauthorized: false, headers });
  const { stdout } = await namespace.run(process.execPath, ['-e', client, options], {
    env: {},
    input: '',
    timeoutMs: 10_000,
  });
  return stdout;
}

async function untilAnswered(namespace: Namespace, page: string, status: string): Promise<void> {
  await waitUntil({ what: `${page} answers ${status}`, withinMs: 20_000, everyMs: 100 }, async () =>
    (await get(namespace, page)) === status ? true : undefined,
  );
}
