import { createElection } from '../../../../ccm/leader-election.ts';
import { kubernetesLeaseStore } from '../../../../ccm/leader-election/kubernetes-lease-store.ts';
import { readElection } from '../../../../ccm/leader-election/settings.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { kubeconfigAccess } from '../../../../lib/kubernetes/access/kubeconfig-access.ts';
import { createClient } from '../../../../lib/kubernetes/client.ts';
import { defaultLimits } from '../../../../lib/kubernetes/open-client.ts';
import { logInto } from '../../../support/logs.ts';
import { standardError, standardOutput, writeAll } from '../../../../lib/write-all.ts';

/**
 * A process that stands for election, for tests that kill it: `candidate.ts IDENTITY KUBECONFIG DURATION…`, the three
 * durations being lease, renew deadline and retry period. While it leads it writes a line wherever a controller would
 * write to the cluster, with the time of the clock that all processes share.
 */
const [identity = '', kubeconfig = '', lease = '', deadline = '', retry = ''] = process.argv.slice(2);
const writeEveryMs = 10;

const { namespace, name, ...times } = readElection({
  '--leader-elect-lease-duration': lease,
  '--leader-elect-renew-deadline': deadline,
  '--leader-elect-retry-period': retry,
});
const access = kubeconfigAccess(kubeconfig, { env: process.env, clock: systemClock });
const userAgent = `candidate/${identity}`;
const client = createClient({ access, userAgent, limits: defaultLimits, clock: systemClock, random: Math.random });
const store = kubernetesLeaseStore(client, { namespace, name }, () => ({}));
const log = logInto((line) => writeAll(standardError, `${line}\n`));
const election = createElection({ identity, times, store, clock: systemClock, log, random: Math.random });
const leaving = new AbortController();
process.once('SIGTERM', () => leaving.abort(new Error('told to go')));
writeLine('stands');
await election.run(
  ({ signal, mayWrite }) =>
    new Promise((resolve) => {
      const writing = setInterval(() => writeLine(mayWrite() ? 'writes' : 'may not write'), writeEveryMs);
      signal.addEventListener(
        'abort',
        () => {
          clearInterval(writing);
          resolve();
        },
        { once: true },
      );
    }),
  leaving.signal,
);
client.close();

function writeLine(what: string): void {
  writeAll(standardOutput, `${Number(process.hrtime.bigint() / 1_000n) / 1_000} ${what}\n`);
}
