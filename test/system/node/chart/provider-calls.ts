import { setTimeout } from 'node:timers/promises';
import type { EmbeddedName } from '../../../lab/clouds/embedded.ts';
import type { LabNode } from '../../../lab/node/lab-node.ts';

export interface ProviderCalls {
  /** Ends them. Returns how many there were, and the output of those without a login. */
  stop(): Promise<{ readonly count: number; readonly failures: readonly string[] }>;
}

/** Much shorter than a node is without its agent. */
const pauseMs = 50;

/** Asks for the login of an image again and again, as the kubelet does. */
export function startProviderCalls<Name extends EmbeddedName>(
  node: LabNode<Name>,
  plugin: string,
  image: string,
): ProviderCalls {
  const input = JSON.stringify({ apiVersion: requestVersion, kind: 'CredentialProviderRequest', image });
  const failures: string[] = [];
  let count = 0;
  const stopping = new AbortController();
  async function callUntilStopped(): Promise<void> {
    while (!stopping.signal.aborted) {
      const { code, stdout, stderr } = await node.run(plugin, [], { env: {}, input, timeoutMs: 60_000 });
      count += 1;
      if (code !== 0 || !stdout.includes('"password"')) failures.push(`${String(code)} ${stderr}`);
      await setTimeout(pauseMs);
    }
  }
  const running = callUntilStopped();
  return {
    stop: async () => {
      stopping.abort();
      await running;
      return { count, failures };
    },
  };
}

const requestVersion = 'credentialprovider.kubelet.k8s.io/v1';
