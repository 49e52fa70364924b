import { chmod, chown, lstat, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { dirname } from 'node:path';
import t from 'tap';
import { listen } from '../../../node-agent/broker/socket/listen.ts';
import { waitFor } from '../../lib/kubernetes/scripted-server.ts';
import { createBrokerHarness } from './harness.ts';
import type { BrokerHarness } from './harness.ts';

const image = 'a.toy.example/app';
const nextCheckMs = 10_000;
const isRoot = process.getuid?.() === 0;

interface SocketFailure {
  /** Before the broker starts. */
  prepare(socketPath: string): Promise<void>;
  readonly reason: RegExp;
  repair(socketPath: string): Promise<void>;
  readonly skip?: string | false;
}

async function removeDirectory(socketPath: string): Promise<void> {
  // The broker may be putting something into it at this moment.
  await rm(dirname(socketPath), { recursive: true, force: true, maxRetries: 10 });
}

const socketFailures: Readonly<Record<string, SocketFailure>> = {
  'a file where the directory belongs': {
    prepare: (socketPath) => writeFile(dirname(socketPath), ''),
    reason: /directory of the broker's socket, \S+, cannot be created \(EEXIST\); hint: remove it/,
    repair: removeDirectory,
  },
  'a link where the directory belongs': {
    prepare: (socketPath) => symlink('/tmp', dirname(socketPath)),
    reason: /directory of the broker's socket, \S+, is not a directory, or is a link to one/,
    repair: removeDirectory,
  },
  'a directory of another user': {
    skip: isRoot ? false : 'needs root',
    prepare: async (socketPath) => {
      await mkdir(dirname(socketPath));
      await chown(dirname(socketPath), 65_534, 65_534);
    },
    reason: /directory of the broker's socket, \S+, belongs to user 65534/,
    repair: (socketPath) => chown(dirname(socketPath), 0, 0),
  },
  'a directory in the place of the socket': {
    prepare: async (socketPath) => void (await mkdir(socketPath, { recursive: true })),
    reason: /the broker cannot listen at \S+ \(EISDIR\); hint: remove the directory at that path/,
    repair: (socketPath) => rm(socketPath, { recursive: true }),
  },
};

for (const [what, { prepare, reason, repair: putRight, skip = false }] of Object.entries(socketFailures)) {
  await t.test(`${what}: it listens once that is corrected`, { skip }, async (t) => {
    const harness = await createBrokerHarness({ prepare });
    t.teardown(harness.stop);
    t.match(harness.broker.socketProblem(), reason);
    t.match(harness.broker.status().problem, reason);
    await harness.clock.advance(nextCheckMs);
    await harness.clock.advance(nextCheckMs);
    t.match(harness.broker.socketProblem(), reason, 'not yet');
    await putRight(harness.socketPath);
    await untilServed(harness);
    t.match(await harness.ask(image), 'login 1');
    t.match(harness.logLines, [/^Broker: \S+ is not served err=/, /^Broker: \S+ is served again$/]);
    t.match(harness.metricsText(), 'polycloud_broker_requests_total{outcome="answer"} 1\n');
  });
}

/** The files of a killed agent do not matter. */
const leftOvers: Readonly<Record<string, (socketPath: string) => string>> = {
  'broker.sock': (socketPath) => socketPath,
  'an unfinished socket of the same process id': (socketPath) => `${socketPath}.${process.pid}`,
};
for (const [what, pathOf] of Object.entries(leftOvers)) {
  for (const kind of ['file', 'socket'] as const) {
    await t.test(`${what}, left over as a ${kind}`, async (t) => {
      const prepare = async (socketPath: string): Promise<void> => {
        await mkdir(dirname(socketPath));
        await (kind === 'file' ? writeFile(pathOf(socketPath), '') : leaveSocket(pathOf(socketPath)));
      };
      const harness = await createBrokerHarness({ prepare });
      t.teardown(harness.stop);
      t.equal(harness.broker.socketProblem(), undefined);
      t.match(await harness.ask(image), 'login 1');
    });
  }
}

/** A socket without a listener. */
async function leaveSocket(path: string): Promise<void> {
  const server = createServer().listen(`${path}.x`);
  await once(server, 'listening');
  await rename(`${path}.x`, path);
  server.close();
  await once(server, 'close');
}

const disturbances: Readonly<Record<string, (socketPath: string) => Promise<void>>> = {
  'the socket is removed': (socketPath) => rm(socketPath),
  'the directory is removed': removeDirectory,
  'the directory is opened to others': (socketPath) => chmod(dirname(socketPath), 0o755),
  'a file is put in the place of the socket': async (socketPath) => {
    await rm(socketPath);
    await writeFile(socketPath, '');
  },
  'another agent takes its place and is killed': async (socketPath) => {
    await rm(socketPath);
    await leaveSocket(socketPath);
  },
};
for (const [what, disturb] of Object.entries(disturbances)) {
  await t.test(`while it runs, ${what}: it repairs that, and keeps its logins`, async (t) => {
    const harness = await createBrokerHarness({});
    t.teardown(harness.stop);
    t.match(await harness.ask(image), 'login 1');
    await disturb(harness.socketPath);
    const isRight = async (): Promise<boolean> => {
      const [directory, socket] = await Promise.all(
        [dirname(harness.socketPath), harness.socketPath].map((path) => lstat(path).catch(() => undefined)),
      );
      if (directory?.mode !== 0o40700 || socket?.isSocket() !== true) return false;
      return (await harness.ask(image).catch(() => '')).includes('login 1');
    };
    await untilTrue(harness, isRight);
    t.equal(harness.loginCalls.length, 1);
    t.equal(harness.broker.socketProblem(), undefined);
  });
}

await t.test(
  'while it runs, the directory gets another owner: that is a problem until it is corrected',
  { skip: isRoot ? false : 'needs root' },
  async (t) => {
    const harness = await createBrokerHarness({});
    t.teardown(harness.stop);
    await chown(dirname(harness.socketPath), 65_534, 65_534);
    await untilTrue(harness, async () => harness.broker.socketProblem() !== undefined);
    t.match(harness.broker.socketProblem(), /belongs to user 65534/);
    await chown(dirname(harness.socketPath), 0, 0);
    await untilServed(harness);
    t.match(await harness.ask(image), 'login 1');
  },
);

await t.test('the socket of the next agent is not removed', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  const next = await listen(harness.socketPath, async () => ({ outcome: 'answer', text: 'next' }));
  t.teardown(next.close);
  for (let check = 0; check < 3; check++) await harness.clock.advance(nextCheckMs);
  t.match(await harness.ask(image), 'next');
});

await t.test('the socket is accessible for its owner only', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  t.equal((await lstat(harness.socketPath)).mode & 0o7777, 0o600);
});

function untilServed(harness: BrokerHarness): Promise<void> {
  return untilTrue(harness, async () => harness.broker.socketProblem() === undefined);
}

/** Lets one check after another pass, since each needs real time for its work on files. */
async function untilTrue({ clock }: BrokerHarness, isRight: () => Promise<boolean>): Promise<void> {
  let isDone = false;
  const looking = (async () => {
    while (!(await isRight())) await clock.advance(nextCheckMs);
    isDone = true;
  })();
  await waitFor(() => isDone);
  await looking;
}
