import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { startAgent } from '../../system/api-server/node-agent/agent-process.ts';
import { setInstance, startAgentEnvironment } from '../../system/api-server/node-agent/environment.ts';
import type { AgentTestEnvironment } from '../../system/api-server/node-agent/environment.ts';
import { isInitialized, register, untilNode } from '../../system/api-server/node-agent/nodes.ts';
import { scraperToken } from '../../system/api-server/node-agent/permissions.ts';
import { createPod, createPodNamespace, protectPod } from '../../system/api-server/node-agent/pods.ts';
import type { Pages } from './timeline.ts';
import { valueIn } from './value-in.ts';

const nodeName = 'leaving';
const port = '10263';
const registry = '123456789012.dkr.ecr.us-west-2.amazonaws.com';
const script = `
  const { get } = require('node:https');
  const { text } = require('node:stream/consumers');
  get(JSON.parse(process.argv[1]), async (answer) => process.stdout.write(await text(answer))).on('error', () => {});
`;

/** Of an agent that works, is held up in a drain, and then gets nothing from its cloud. */
export async function agentPages(t: Test): Promise<Pages> {
  const world = await startAgentEnvironment(t);
  await setInstance(world, {});
  await register(world, { name: nodeName });
  await createPodNamespace(world);
  await createPod(world, { name: 'protected', nodeName });
  await protectPod(world, 'protected');
  const socket = join(world.directory, 'broker', 'broker.sock');
  const serving = ['--secure-port', port, '--bind-address', '127.0.0.1', '--broker-socket', socket];
  startAgent(world, { nodeName, flags: ['--node-status-update-frequency', '500ms', ...serving] });
  await untilNode(world, nodeName, 'is initialised', isInitialized);
  const pageWhen = createPageReader(world, await scraperToken(world.plane));
  const synced = 'syncs_total{result="synced"}';
  const polled = 'notice_polls_total{result="success"}';
  // An agent has the metrics of notices only when it knows its cloud.
  const first = await pageWhen({ 'broker_requests_total{outcome="answer"}': 0, [synced]: 0, [polled]: 0 });
  t.match(await requestLogin(socket, 'app'), /\nanswer\n/);
  const second = await pageWhen({ [synced]: valueIn(first, synced) + 1, [polled]: valueIn(first, polled) + 1 });

  await announceEnd(world);
  const broken = await pageWhen({ drain_blocked_pods: 1 });

  await world.aws.addFault({ service: 'imds', kind: 'refuse' });
  await world.aws.addFault({ service: 'ecr', kind: 'status', status: 403 });
  t.match(await requestLogin(socket, 'first', 'us-east-1'), /\nfailure\n/);
  const failures = {
    'syncs_total{result="failed"}': 1,
    'notice_polls_total{result="partial"}': 1,
    'broker_requests_total{outcome="failure"}': 1,
  };
  const failing = await pageWhen(failures);
  t.match(await requestLogin(socket, 'second', 'us-east-1'), /\nfailure\n/);
  const more = Object.keys(failures).map((sample) => [sample, valueIn(failing, sample) + 1]);
  const later = await pageWhen(Object.fromEntries(more) as Record<string, number>);
  const about = { namespace: 'kube-system', pod: 'polycloud-node-agent-1', instance: '10.0.0.20:10263' };
  const labels = { job: 'kube-system/polycloud-node-agent', ...about };
  return { labels, healthy: [first, second], broken, failing: [failing, later] };
}

type Wanted = Readonly<Record<string, number>>;

/** Reads the page until each sample has at least its value. */
function createPageReader({ namespace }: AgentTestEnvironment, token: string): (wanted: Wanted) => Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const options = JSON.stringify({ host: '127.0.0.1', port, path: '/metrics', rejectUnauthorized: false, headers });
  return (wanted) =>
    waitUntil({ what: JSON.stringify(wanted), withinMs: 30_000, everyMs: 100 }, async () => {
      const limits = { env: {}, input: '', timeoutMs: 10_000 };
      const { stdout } = await namespace.run(process.execPath, ['-e', script, options], limits);
      return Object.entries(wanted).every(([sample, value]) => valueIn(stdout, sample) >= value) ? stdout : undefined;
    });
}

/** As the front end asks. */
async function requestLogin(socket: string, repository: string, region = 'us-west-2'): Promise<string> {
  const image = `${registry.replace('us-west-2', region)}/${repository}`;
  const request = { kind: 'CredentialProviderRequest', apiVersion: 'credentialprovider.kubelet.k8s.io/v1', image };
  const connection = createConnection(socket);
  connection.end(`polycloud/2 polycloud-credential-provider\n${JSON.stringify(request)}\n`);
  return text(connection);
}

/** Soon enough for a drain, and late enough for the protected pod to stay. */
async function announceEnd({ aws }: AgentTestEnvironment): Promise<void> {
  const time = new Date(Date.now() + 300_000).toISOString().replace(/\.\d+Z$/, 'Z');
  await aws.update({ metadata: { 'meta-data/spot/instance-action': JSON.stringify({ action: 'terminate', time }) } });
}
