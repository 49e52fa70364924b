import { createAwsNetwork } from '../../../lab/aws-network.ts';
import type { AwsNetwork } from '../../../lab/aws-network.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import type { RunResult } from '../../../lab/network/run-command.ts';
import type { BrokerProcess } from '../../../lab/warm/broker-process.ts';
import { createWarmHost, pluginName } from '../../../lab/warm/warm-host.ts';
import type { WarmHost } from '../../../lab/warm/warm-host.ts';
import { requestBytes, requestsOf } from '../provider.ts';
import type { ProviderCall } from '../provider.ts';

/** An AWS machine with a broker, the front end at the kubelet's path, and the full program next to it. */
export interface WarmNode {
  readonly network: AwsNetwork;
  readonly host: WarmHost;
  readonly broker: BrokerProcess;
  ask(question: ProviderCall): Promise<RunResult>;
  /** How many logins the registries' APIs issued. */
  logins(): Promise<number>;
  stop(): Promise<void>;
}

/** The kubelet kills a provider after a minute. */
export const deadlineMs = 60_000;

export async function createWarmNode(): Promise<WarmNode> {
  const network = await createAwsNetwork({ regions: ['us-west-2'], ipVersions: [4] });
  const host = await createWarmHost(network.namespace);
  const broker = await host.startBroker();
  return {
    network,
    host,
    broker,
    ask: async (question) => {
      const options = { env: { HOME: '/nowhere' }, input: requestBytes(question), timeoutMs: deadlineMs };
      const result = await host.askPlugin([], options, pluginName);
      if (showsSecret(result.stderr)) throw new Error('a secret of the lab stands on standard error');
      return result;
    },
    logins: async () => (await requestsOf(network)).filter((line) => line.endsWith('GetAuthorizationToken')).length,
    stop: () => network.stop(),
  };
}

/** The password in a response, which is one object on one line. */
export function passwordOf({ stdout }: RunResult): string {
  if (!/^\{[^\n]*\}\n$/.test(stdout)) return `no answer: ${stdout}`;
  const { auth } = JSON.parse(stdout) as { auth: Readonly<Record<string, { readonly password: string }>> };
  return Object.values(auth)[0]?.password ?? 'no login';
}
