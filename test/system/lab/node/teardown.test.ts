import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import t from 'tap';
import { processesMentioning } from '../../../lab/control-plane/sessions.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { uniqueName } from '../../../lab/network/names.ts';
import { withEnvironment } from '../../../lab/network/run-command.ts';
import { bootCloudNode } from '../../../lab/node/cloud-node.ts';
import { nodeFor } from '../../../lab/node/for-test.ts';
import { sleepingImage } from '../../../lab/node/image/busybox-image.ts';
import { leftoversOf, tracesOf } from '../../../lab/node/leftovers.ts';
import type { Traces } from '../../../lab/node/leftovers.ts';
import { nodeSupport } from '../../../lab/node/support.ts';

const support = await nodeSupport();
const soon = { withinMs: 30_000, everyMs: 50 };
const nodeFolder = join(import.meta.dirname, '../../../lab/node');
const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app:1';

/** Boots a node, prints its traces, and waits to be killed. */
const bootAndWait = `
import { bootCloudNode } from '${nodeFolder}/cloud-node.ts';
import { tracesOf } from '${nodeFolder}/leftovers.ts';
process.stdout.write(JSON.stringify(tracesOf(await bootCloudNode('aws', { parts: [] }))) + '\\n');
`;

await t.test('a process that boots a node and is killed', requires(support), async (t) => {
  const args = ['--input-type=module', '--eval', bootAndWait];
  const [file, all] = withEnvironment(
    { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' },
    process.execPath,
    args,
  );
  const child = spawn(file, all, { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const traces = JSON.parse(line) as Traces;
  t.ok(processesMentioning(traces.network).length > 0);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;

  await t.test('leaves no process', async (t) => {
    const isOver = async (): Promise<true | undefined> =>
      leftoversOf(traces).every((each) => !each.startsWith('process')) || undefined;
    t.ok(await waitUntil({ what: 'the end of all processes', ...soon }, isOver));
  });

  await t.test('has the rest removed by the next boot, except for the logs', async (t) => {
    const node = await nodeFor(t, 'aws', { parts: [] });
    const gone = leftoversOf(traces).filter((each) => !traces.directories.includes(each));
    t.same(gone, []);
    for (const directory of traces.directories) {
      t.same(readdirSync(directory), ['logs']);
      await rm(directory, { recursive: true });
    }
    await node.stop();
  });
});

await t.test('two side by side', requires(support), async (t) => {
  const [one, other] = await Promise.all([nodeFor(t, 'aws', {}), nodeFor(t, 'aws', {})]);
  t.equal(one.name, other.name);
  for (const node of [one, other]) await node.push(sleepingImage('app'), image);
  const wish = { name: 'app', image, tolerant: true };

  await t.test('both run pods, each by its own cloud', async (t) => {
    await one.clouds.aws.update({ instance: { roleName: 'lab-denied' } });
    const outcomes = await Promise.all([one.runPod(wish), other.runPod(wish)]);
    t.same(
      outcomes.map(({ pulled }) => pulled),
      [false, true],
    );
    t.not(one.plane.url, other.plane.url);
  });

  await t.test('one goes without a trace, and the other does not notice', async (t) => {
    const traces = tracesOf(one);
    t.ok(leftoversOf(traces).length > 5);
    const startedAtMs = performance.now();
    await one.stop();
    t.comment(`stopped in ${(performance.now() - startedAtMs).toFixed(0)} ms`);
    t.same(leftoversOf(traces), []);
    await one.stop();
    t.match(await other.runPod({ ...wish, name: 'still' }), { pulled: true });
  });

  await t.test('the logs can be kept', async (t) => {
    const traces = tracesOf(other);
    await other.stopAndKeepLogs();
    const directory = dirname(other.logDirectory);
    t.same(leftoversOf(traces), [directory]);
    const files = ['containerd', 'docker-registry', 'gate', 'init', 'kubelet', 'registry'].map((name) => `${name}.log`);
    t.same(readdirSync(other.logDirectory).toSorted(), [...files, 'control-plane'].toSorted());
    t.ok(existsSync(join(other.logDirectory, 'control-plane/kube-apiserver.log')));
    await rm(directory, { recursive: true });
  });
});

await t.test('a missing executable is reported with its name', requires(support), async (t) => {
  const plugin = { providers: [], programs: { plugin: '/not/built' } };
  const message = await bootCloudNode('aws', { plugin, parts: [] }).then(() => 'it started', String);
  t.match(message, /\/not\/built is not there; `npm run build` makes/);
  await rm(dirname(/The logs are in (\S+)/.exec(message)?.[1] ?? ''), { recursive: true });
});

await t.test(
  'a kubelet that does not start is reported with the reason, and only its logs stay',
  requires(support),
  async (t) => {
    const empty = t.testdir();
    const plugin = { configDirectory: empty, programDirectory: empty };
    const message = await bootCloudNode('aws', { plugin }).then(() => 'it started', String);
    t.match(
      message,
      /kubelet ended with exit code 1 before it was ready:\n[^]*no configuration files found in directory/,
    );
    const logs = /The logs are in (\S+)/.exec(message)?.[1] ?? '';
    t.ok(existsSync(`${logs}/kubelet.log`) && existsSync(`${logs}/control-plane/kube-apiserver.log`));
    const directories = [dirname(logs)];
    t.same(leftoversOf({ network: uniqueName(), directories }), directories);
    await rm(dirname(logs), { recursive: true });
  },
);
