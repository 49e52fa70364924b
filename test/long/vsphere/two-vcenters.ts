import { readFileSync, writeFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { LookupContext } from '../../../clouds/cloud.ts';
import { openVcenterSession } from '../../../clouds/vsphere/session.ts';
import { systemClock } from '../../../lib/clock.ts';
import { realHost } from '../../../lib/host.ts';
import { createHttp } from '../../../lib/http/create-http.ts';
import type { VcenterConfig, VsphereConfig } from '../../../schemas/config/vsphere.ts';
import { vsphereDefaults } from '../../../schemas/config/vsphere.defaults.ts';
import { createAuthority } from '../../lab/authority.ts';
import { markedSecret } from '../../lab/clouds/secrets.ts';
import { administer } from '../../lab/vcsim/operations.ts';
import type { VcenterOperations } from '../../lab/vcsim/operations.ts';
import { startVcsim } from '../../lab/vcsim/vcsim.ts';
import type { Vcsim, VcsimSettings } from '../../lab/vcsim/vcsim.ts';
import { silentLog } from '../../support/logs.ts';

export interface SimulatedVcenter {
  readonly operations: VcenterOperations;
  stop(): Promise<void>;
  /** On the same port, with a new inventory. */
  startAgain(): Promise<void>;
}

export interface TwoVcenters {
  readonly a: SimulatedVcenter;
  readonly b: SimulatedVcenter;
  /** `a` by its thumbprint, `b` by its authority. */
  readonly config: VsphereConfig;
  /** Counts requests. */
  context(count?: { requests: number }): LookupContext;
}

const username = 'polycloud@vsphere.local';
const password = markedSecret('', 30);

/** govmomi's simulators, each with TLS, a password and so many machines. The machines of `b` have UUIDs of their own. */
export async function startTwoVcenters(t: Test, file: string, vms: { a: number; b: number }): Promise<TwoVcenters> {
  const directory = t.testdir();
  const authority = await createAuthority(directory);
  const tls = await authority.issue('vcenter', ['127.0.0.1']);
  const [usernameFile, passwordFile] = [join(directory, 'username'), join(directory, 'password')];
  writeFileSync(usernameFile, username);
  writeFileSync(passwordFile, `${password}\n`);
  const settingsOf = (count: number): VcsimSettings => ({ file, tls, username, password, vms: count });
  const [a, b] = await Promise.all([startVcsim(settingsOf(vms.a)), startVcsim(settingsOf(vms.b))]);
  const { fingerprint256: thumbprint } = new X509Certificate(readFileSync(tls.certificateFile));
  const files = { usernameFile, passwordFile };
  const config: VsphereConfig = {
    ...vsphereDefaults,
    vcenters: [
      { name: 'a', server: a.server, thumbprint, ...files },
      { name: 'b', server: b.server, caFile: authority.certificateFile, ...files },
    ],
  };
  const simulated = (vcsim: Vcsim, count: number, vcenter: VcenterConfig | undefined): SimulatedVcenter => {
    if (vcenter === undefined) throw new Error('there are two');
    let running = vcsim;
    t.teardown(() => running.stop());
    const session = openVcenterSession(vcenter, { env: {}, host: realHost, config });
    return {
      operations: administer(session, contextFor({ requests: 0 })),
      stop: () => running.stop(),
      startAgain: async () => {
        running = await startVcsim({ ...settingsOf(count), port: Number(vcsim.server.split(':')[1]) });
      },
    };
  };
  const two = { a: simulated(a, vms.a, config.vcenters[0]), b: simulated(b, vms.b, config.vcenters[1]) };
  for (const [number, { ref }] of (await two.b.operations.vms()).entries()) {
    await two.b.operations.setUuid(ref, uuidOfB(number));
  }
  return { ...two, config, context: (count) => contextFor(count ?? { requests: 0 }) };
}

function uuidOfB(number: number): string {
  return `b0000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

function contextFor(count: { requests: number }): LookupContext {
  const http = createHttp({ proxies: { no: '' }, allAuthorities: () => [] });
  const send: typeof http.send = (request, signal) => {
    count.requests += 1;
    return http.send(request, signal);
  };
  return {
    signal: new AbortController().signal,
    deadlineAtMs: systemClock.monotonicMs() + 600_000,
    http: { ...http, send },
    clock: systemClock,
    log: silentLog,
    random: Math.random,
    beforeCall: () => Promise.resolve(),
  };
}
