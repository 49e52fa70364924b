import type { Namespace } from '../../lab/network/namespace.ts';
import type { RunOptions, RunResult } from '../../lab/network/run-command.ts';
import type { BrokerProcess } from '../../lab/warm/broker-process.ts';
import { createWarmHost, pluginName } from '../../lab/warm/warm-host.ts';
import type { WarmHost } from '../../lab/warm/warm-host.ts';

/** Set to send every request of these tests through front end and broker: the same assertions have to hold. */
export const throughFrontEnd = process.env['POLYCLOUD_TEST_FRONT_END'] === 'yes';

interface FrontEndMachine {
  readonly host: WarmHost;
  readonly broker: BrokerProcess;
}

const machines = new WeakMap<Namespace, Promise<FrontEndMachine>>();

/** With a new broker. Throws if a request for a broker did not reach it. */
export async function askFrontEnd(
  namespace: Namespace,
  args: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  const { host, broker } = await machineIn(namespace);
  await broker.send({ restart: true });
  const result = await host.askPlugin(args, options, pluginName);
  const { requests } = (await broker.send({})).status;
  const asked = requests.answer + requests.failure + requests.decline;
  const isPlain = args.length === 0 && Object.keys(options.env).length === 0;
  // A request that takes longer than the front end waits is still under way.
  const isPatient = result.durationMs < 20_000;
  if (isPlain && isPatient && asked !== 1) throw new Error('the broker was not asked');
  return result;
}

function machineIn(namespace: Namespace): Promise<FrontEndMachine> {
  const machine = machines.get(namespace) ?? startMachine(namespace);
  machines.set(namespace, machine);
  return machine;
}

async function startMachine(namespace: Namespace): Promise<FrontEndMachine> {
  const host = await createWarmHost(namespace);
  return { host, broker: await host.startBroker() };
}
