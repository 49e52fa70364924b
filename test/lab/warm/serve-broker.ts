import { createInterface } from 'node:readline';
import { clouds } from '../../../clouds/index.ts';
import { systemClock } from '../../../lib/clock.ts';
import { realHost } from '../../../lib/host.ts';
import { createHttp } from '../../../lib/http/create-http.ts';
import { trustVariables } from '../../../lib/http/trust.ts';
import { createMetrics } from '../../../lib/metrics/metrics.ts';
import { startBroker } from '../../../node-agent/broker/broker.ts';
import type { Broker } from '../../../node-agent/broker/broker.ts';
import { clusterKeys } from '../../../node-agent/broker/tokens/cluster-keys.ts';
import { brokerSocket } from '../../../schemas/broker.ts';
import type { BrokerReport, BrokerControl } from './broker-process.ts';
import { logInto } from '../../support/logs.ts';

/** Only the agent's broker, at its usual path. Commands come on standard input. */
Object.assign(process.env, trustVariables(process.env));
let wallAheadMs = 0;
let cluster: BrokerControl['cluster'];
let metrics = createMetrics();
let broker: Broker | undefined;

const clock = { ...systemClock, wallMs: () => systemClock.wallMs() + wallAheadMs };

async function start(): Promise<Broker> {
  metrics = createMetrics();
  const read = async (_what: string, path: string): Promise<string> => {
    const document = cluster?.[path];
    if (document === undefined) throw new Error('the API server is down');
    return JSON.stringify(document);
  };
  return startBroker({
    socketPath: brokerSocket,
    place: { kind: 'agent' },
    clouds,
    clusterKeys: clusterKeys({ client: { read }, clock }),
    host: realHost,
    clock,
    random: Math.random,
    log: logInto((line) => void process.stderr.write(`${line}\n`)),
    metrics,
    openHttp: createHttp,
  });
}

async function applyControl(control: BrokerControl): Promise<BrokerReport> {
  wallAheadMs = control.wallAheadMs ?? wallAheadMs;
  cluster = control.cluster ?? cluster;
  if (control.restart === true) {
    await broker?.stop();
    broker = await start();
  }
  if (control.collectGarbage === true) globalThis.gc?.();
  broker ??= await start();
  return { status: broker.status(), metrics: metrics.text(), heapBytes: process.memoryUsage().heapUsed };
}

for await (const line of createInterface({ input: process.stdin })) {
  const report = await applyControl(JSON.parse(line) as BrokerControl);
  process.stdout.write(`${JSON.stringify(report)}\n`);
}
await broker?.stop();
