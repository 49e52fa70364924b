import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import type { Namespace } from '../../../lab/network/namespace.ts';
import { openGateway } from '../../../lab/node/gateway.ts';
import { agentKubeconfig } from './permissions.ts';

/** A machine with its cloud around it, and a real API server that it can reach. */
export interface MachineEnvironment {
  readonly plane: SharedControlPlane;
  readonly namespace: Namespace;
  /** Of a user with exactly the permissions that the agent needs. */
  readonly kubeconfig: string;
  /** For files of the test; gone with it. */
  readonly directory: string;
  atEnd(action: () => Promise<void>): void;
}

const gateFile = fileURLToPath(new URL('../../../lab/node/namespace-proxy.ts', import.meta.url));

/** `network` is a machine with its cloud, and is removed with the test. */
export async function connectMachine(
  t: Test,
  plane: SharedControlPlane,
  network: { readonly namespace: Namespace; stop(): Promise<void> },
): Promise<MachineEnvironment> {
  const { namespace } = network;
  const directory = await mkdtemp(join(tmpdir(), 'node-agent-'));
  t.teardown(() => rm(directory, { recursive: true }));
  t.teardown(network.stop);
  const port = Number(new URL(plane.url).port);
  const gateway = await openGateway(directory, port, [{ address: '127.0.0.1', port }]);
  t.teardown(() => gateway.close());
  namespace.start(process.execPath, [gateFile, JSON.stringify(gateway.options)], {});
  await waitUntil({ what: 'a way to the API server', withinMs: 20_000, everyMs: 20 }, () =>
    Promise.resolve(existsSync(gateway.options.inboundSocket) ? true : undefined),
  );
  const kubeconfig = await agentKubeconfig(plane);
  return { plane, namespace, kubeconfig, directory, atEnd: (action) => t.teardown(action) };
}
