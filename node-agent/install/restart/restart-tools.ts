import { systemClock } from '../../../lib/clock.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { FlagValues } from '../../../lib/command-line/flag-values.ts';
import { Failure } from '../../../lib/failure.ts';
import { realHost } from '../../../lib/host.ts';
import { ignoring } from '../../../lib/kubernetes/ignoring.ts';
import { openClient } from '../../../lib/kubernetes/open-client.ts';
import { nodes } from '../../../lib/kubernetes/resources.ts';
import { standardError, writeAll } from '../../../lib/write-all.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import type { HostRoot } from '../host-root.ts';
import { connectToSystemd } from '../systemd/systemd.ts';
import type { Systemd } from '../systemd/systemd.ts';
import { openInstallLease } from './install-lease.ts';
import type { InstallLease } from './install-lease.ts';

/** What the restart of a kubelet uses besides the files of its host. */
export interface RestartTools {
  readonly systemd: Systemd;
  readonly lease: InstallLease;
  /** `absent`: there is no Node of this name. */
  readNode(): Promise<Node | 'absent'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly nodeName: string;
}

/** Reads the flags. What it returns connects to systemd of the host and to the API server. */
export function prepareRestart(options: FlagValues, env: NodeJS.ProcessEnv): (host: HostRoot) => Promise<OpenTools> {
  const nodeName = options['--node-name'] ?? env['NODE_NAME'] ?? '';
  if (nodeName === '') {
    throw new Failure('misconfigured', '--restart-kubelet needs --node-name or NODE_NAME', {
      remedy: 'give the name of the Node of this machine; in a pod set NODE_NAME from the field spec.nodeName',
    });
  }
  return async (host) => {
    const systemd = await connectToSystemd(host);
    const access = { program: 'polycloud-node-agent', kubeconfig: options['--kubeconfig'], env };
    const client = await openClient(access, realHost);
    const ending = new AbortController();
    const shared = { clock: systemClock, signal: ending.signal, nodeName };
    const report = (line: string): void => writeAll(standardError, `${line}\n`);
    return {
      ...shared,
      systemd,
      lease: openInstallLease({ ...shared, client, random: Math.random, report }),
      readNode: () => ignoring(['not-found'], 'absent', () => client.get(nodes, { name: nodeName }, readLimit())),
      close: () => {
        ending.abort(new Error('the end'));
        systemd.close();
        client.close();
      },
    };
  };
}

export interface OpenTools extends RestartTools {
  close(): void;
}

const longestReadMs = 5_000;

function readLimit(): AbortSignal {
  return AbortSignal.timeout(longestReadMs);
}
