import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { installWork, uninstallWork } from '../../../../node-agent/install/install.ts';
import type { InstallRequest } from '../../../../node-agent/install/install.ts';
import { openInstallLease } from '../../../../node-agent/install/restart/install-lease.ts';
import { restartWith } from '../../../../node-agent/install/restart/restart-kubelet.ts';
import type { RestartTools } from '../../../../node-agent/install/restart/restart-tools.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import type { FakeClock } from '../../../clocks/fake-clock.ts';
import { createLeaseApi } from './lease-api.ts';
import type { LeaseApi } from './lease-api.ts';
import { createSimulatedNode } from './simulated-node.ts';
import type { SimulatedNode } from './simulated-node.ts';

export const flagFile = '/etc/default/kubelet';

/** Of the kubelet's file. */
const entries = [
  {
    name: 'polycloud-credential-provider',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    matchImages: ['*.dkr.ecr.*.amazonaws.com'],
    defaultCacheDuration: '0s',
  },
];

export interface World {
  readonly node: SimulatedNode;
  readonly api: LeaseApi;
  readonly clock: FakeClock;
  readonly request: InstallRequest;
  readonly tools: RestartTools;
  /** Lets time pass until it has come to its end. */
  run(command: 'install' | 'uninstall', changed?: Partial<RestartTools>): Promise<object>;
}

export function createWorld(t: Test, { startsWithFlags }: { readonly startsWithFlags: boolean }): World {
  const folder = t.testdir({ host: {}, program: 'the program', 'front-end': 'the front end' });
  // Not in the past of the files that are written now.
  const clock = createFakeClock(Date.now());
  const node = createSimulatedNode(join(folder, 'host'), { clock, startsWithFlags });
  const api = createLeaseApi();
  const { signal } = new AbortController();
  const shared = { clock, signal, nodeName: 'node-1' };
  const lease = openInstallLease({ ...shared, client: api.client, random: () => 0.5, report: () => undefined });
  const tools: RestartTools = { ...shared, systemd: node.systemd, lease, readNode: node.readNode };
  const request: InstallRequest = {
    host: node.host,
    mountInfo: '',
    sources: { program: join(folder, 'program'), frontEnd: join(folder, 'front-end') },
    wanted: { entries, areNamed: false },
    isDryRun: false,
  };
  return {
    node,
    api,
    clock,
    request,
    tools,
    run: async (command, changed = {}) => {
      const open = (): Promise<RestartTools> => Promise.resolve({ ...tools, ...changed });
      const running: Promise<object> =
        command === 'install'
          ? restartWith(node.host, () => installWork(request), open)
          : restartWith(node.host, () => uninstallWork(node.host), open);
      return passTime(running, clock);
    },
  };
}

export async function passTime<T>(work: Promise<T>, clock: FakeClock): Promise<T> {
  const state = { isDone: false };
  const end = (): void => {
    state.isDone = true;
  };
  work.then(end, end);
  for (let passedMs = 0; passedMs < 600_000; passedMs += 10_000) {
    await new Promise(setImmediate);
    if (state.isDone) return work;
    await clock.advance(10_000);
  }
  throw new Error('it has not come to its end in 10 minutes');
}

/** Nothing of the attempt is left, and the next node can go on, or has been stopped. */
export function checkEnd(t: Test, { node, api }: World): void {
  t.ok(node.isWell());
  t.notOk(existsSync(node.host.locate('/var/lib/polycloud/restart')));
  t.strictSame(
    filesIn(join(node.root, 'etc/systemd/system')).filter((path) => path.includes('polycloud')),
    [],
  );
  t.equal(api.lease?.spec.holderIdentity ?? '', '');
}

/** Each with its content. */
export function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = found.map(({ parentPath, name }) => join(parentPath, name));
  return paths.map((path) => `${path} ${readFileSync(path, 'utf8')}`).toSorted();
}
