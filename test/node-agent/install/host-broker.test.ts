import { lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { brokerUnits } from '../../../node-agent/install/broker-units.ts';
import { installOnHost, uninstallFromHost } from '../../../node-agent/install/change-host.ts';
import { hasHostBroker, startHostBroker, stopHostBroker } from '../../../node-agent/install/host-broker.ts';
import { openHostRoot } from '../../../node-agent/install/host-root.ts';
import type { InstallRequest, InstallResult } from '../../../node-agent/install/install.ts';
import { installText } from '../../../node-agent/install/report.ts';
import type { Systemd } from '../../../node-agent/install/systemd/systemd.ts';
import { hostTrees, libraries, writeTree } from './host-trees.ts';

const entries = [
  {
    name: 'polycloud-credential-provider',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    matchImages: ['*.dkr.ecr.*.amazonaws.com'],
    defaultCacheDuration: '0s',
  },
];
const folder = '/usr/lib/polycloud/credential-provider';
const socketUnit = '/etc/systemd/system/polycloud-broker.socket';
const serviceUnit = '/etc/systemd/system/polycloud-broker.service';
const ofBroker = [
  `${folder}/polycloud-node-agent`,
  socketUnit,
  serviceUnit,
  '/etc/systemd/system/sockets.target.wants/polycloud-broker.socket',
  '/etc/systemd/system/multi-user.target.wants/polycloud-broker.service',
];

await t.test('the broker is installed with its units, enabled, and removed again', async (t) => {
  const request = prepare(t, 'kubeadm on Debian');
  const { host } = request;
  const result = await installOnHost(request);
  t.strictSame(
    changedIn(result).filter((path) => ofBroker.includes(path)),
    ofBroker,
    'the program first',
  );
  for (const [name, text] of Object.entries(brokerUnits(`${folder}/polycloud-node-agent`))) {
    t.equal(readFileSync(host.locate(`/etc/systemd/system/${name}`), 'utf8'), text);
  }
  for (const path of ofBroker.slice(3)) {
    t.match(readlinkSync(host.locate(path)), /^\.\.\/polycloud-broker\./);
    t.ok(lstatSync(host.resolve(path)).isFile(), 'the link leads to the unit');
  }
  t.match(
    installText(result, false),
    /^broker +runs on the host after its next boot: systemd does not run there now$/m,
  );
  t.ok(hasHostBroker(host));
  t.strictSame(changedIn(await installOnHost(request)), [], 'a second time changes nothing');
  const { agent: _, ...sources } = request.sources;
  t.strictSame(changedIn(await installOnHost({ ...request, sources })), [], 'without the option it stays');
  const { restored } = await uninstallFromHost(host);
  t.strictSame(
    restored.filter((path) => ofBroker.includes(path)),
    ofBroker.toReversed(),
    'the program last',
  );
  t.notOk(hasHostBroker(host));
});

await t.test('the kubelet needs no restart for it', async (t) => {
  const request = prepare(t, 'EKS');
  t.notMatch(await installOnHost(request), { restart: String });
  t.notMatch(await uninstallFromHost(request.host), { restart: String });
});

await t.test('without the option the host gets no broker', async (t) => {
  const request = prepare(t, 'kubeadm on Debian');
  const { agent: _, ...sources } = request.sources;
  const result = await installOnHost({ ...request, sources });
  t.strictSame(
    changedIn(result).filter((path) => ofBroker.includes(path)),
    [],
  );
  t.notOk(hasHostBroker(request.host));
});

await t.test('a host that cannot have it is refused before anything is written', async (t) => {
  const refusals: Readonly<Record<string, RegExp>> = {
    Talos: /^the broker cannot be put on a host with Talos$/,
    OpenShift: /^the broker cannot be put on a host with OpenShift$/,
    k3s: /^the broker on the host needs systemd, which the host does not have$/,
  };
  for (const [name, message] of Object.entries(refusals)) {
    const request = prepare(t, name, false);
    await t.rejects(installOnHost(request), { message, remedy: /leave out --host-broker/ });
    t.notOk(hasHostBroker(request.host));
  }
});

await t.test('systemd has to be in reach before anything is written', async (t) => {
  const request = prepare(t, 'kubeadm on Debian');
  writeTree(request.host.locate('/'), { run: { systemd: { system: {} } } });
  await t.rejects(installOnHost(request), { message: /no \/run\/dbus\/system_bus_socket/ });
  t.equal(request.host.kindOf(socketUnit), 'absent');
  t.match(await installOnHost({ ...request, isDryRun: true }), { kind: 'written' }, 'a dry run does not need it');
});

await t.test('systemd starts what changed', async (t) => {
  const socket = 'polycloud-broker.socket';
  const service = 'polycloud-broker.service';
  const cases: ReadonlyArray<readonly [string, boolean, readonly string[], readonly string[]]> = [
    ['nothing changed', true, [], []],
    ['nothing changed, and it does not run', false, [], ['reload', `start ${socket}`, `restart ${service}`]],
    ['other files', true, [`${folder}/polycloud-credential-provider`], []],
    // Requests wait at the socket meanwhile.
    ['the program', true, ofBroker.slice(0, 1), ['reload', `start ${socket}`, `restart ${service}`]],
    [
      'all of it',
      true,
      ofBroker,
      ['reload', `stop ${socket}`, `stop ${service}`, `start ${socket}`, `restart ${service}`],
    ],
  ];
  for (const [what, isActive, changed, expected] of cases) {
    const calls: string[] = [];
    await startHostBroker(recording(calls, isActive ? 'active' : 'inactive'), changed);
    t.strictSame(calls, expected, what);
  }
});

await t.test('to stop it, the socket stops first; what systemd does not know is left out', async (t) => {
  const calls: string[] = [];
  await stopHostBroker(recording(calls, 'active'));
  t.strictSame(calls, ['stop polycloud-broker.socket', 'stop polycloud-broker.service']);
  calls.length = 0;
  await stopHostBroker(recording(calls, undefined));
  t.strictSame(calls, []);
});

await t.test('the units lead to the program, wherever it is', (t) => {
  const texts = (program: string): string => Object.values(brokerUnits(program)).join('');
  t.match(texts('/usr/bin/x'), /^ExecStart=\/usr\/bin\/x broker\n[^]*^ProtectHome=yes$/m);
  t.match(texts('/home/kubernetes/bin/x'), /^ProtectHome=read-only$/m, 'where systemd would hide it otherwise');
  t.end();
});

function changedIn(result: InstallResult): readonly string[] {
  if (result.kind !== 'written') throw new Error('nothing was written');
  return result.changed;
}

/** Of the calls only. */
function recording(calls: string[], active: string | undefined): Systemd {
  const record = (verb: string) => async (unit?: string) =>
    void calls.push(unit === undefined ? verb : `${verb} ${unit}`);
  return {
    reload: record('reload'),
    startUnit: record('start'),
    stopUnit: record('stop'),
    restartUnit: record('restart'),
    queueRestart: record('queue restart'),
    enableUnit: record('enable'),
    disableUnit: record('disable'),
    unitState: async () => (active === undefined ? undefined : { active }),
    close: () => {},
  };
}

function prepare(t: Test, name: string, hasSystemd = true): InstallRequest {
  const directory = t.testdir({ host: {}, sources: {} });
  const [root, from] = [join(directory, 'host'), join(directory, 'sources')];
  for (const each of [root, from]) mkdirSync(each, { recursive: true });
  const systemd = hasSystemd ? { usr: { lib: { systemd: { systemd: '' } } } } : {};
  for (const tree of [libraries, hostTrees[name] ?? {}, systemd]) writeTree(root, tree);
  const sources = { program: join(from, 'program'), frontEnd: join(from, 'front-end'), agent: join(from, 'agent') };
  for (const file of Object.values(sources)) writeFileSync(file, file);
  return { host: openHostRoot(root), mountInfo: '', sources, wanted: { entries, areNamed: false }, isDryRun: false };
}
