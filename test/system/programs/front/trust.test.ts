import { chmod, chown, mkdir, rename, rm, symlink } from 'node:fs/promises';
import t from 'tap';
import { requires } from '../../../lab/requires.ts';
import { createFrontEndFixture, startFakeBroker, frontSupport, parseFullProgramStart, defaultCall } from './fixture.ts';
import type { FrontEndFixture } from './fixture.ts';

const nobody = 65_534;

/** What is done to a good place, so that it must not be used, and to undo it. */
interface Change {
  make(inside: FrontEndFixture['host']['path'], socketPath: string): Promise<void>;
}

const changes: Readonly<Record<string, Change['make']>> = {
  'the directory is another user’s': (at) => chown(at('/run/polycloud'), nobody, nobody),
  'its group may look into the directory': (at) => chmod(at('/run/polycloud'), 0o750),
  'all may pass through the directory': (at) => chmod(at('/run/polycloud'), 0o711),
  'all may write to the directory': (at) => chmod(at('/run/polycloud'), 0o777),
  'not even root may list the directory': (at) => chmod(at('/run/polycloud'), 0o300),
  'the directory gives its group to what is made in it': (at) => chmod(at('/run/polycloud'), 0o2700),
  'the directory is a link': async (at) => {
    await rename(at('/run/polycloud'), at('/run/elsewhere'));
    await symlink('/run/elsewhere', at('/run/polycloud'));
  },
  'the directory above it is another user’s': (at) => chown(at('/run'), nobody, nobody),
  'the directory above it is open to all': (at) => chmod(at('/run'), 0o1777),
  'the socket is a link': async (at, socketPath) => {
    await rename(socketPath, at('/run/polycloud/other.sock'));
    await symlink('/run/polycloud/other.sock', socketPath);
  },
  'the socket is another user’s': (_at, socketPath) => chown(socketPath, nobody, nobody),
  'the socket is a directory': async (_at, socketPath) => {
    await rm(socketPath);
    await mkdir(socketPath);
  },
  'there is no socket': (_at, socketPath) => rm(socketPath),
  'there is no directory': (at) => rename(at('/run/polycloud'), at('/run/elsewhere')),
};

for (const [what, make] of Object.entries(changes)) {
  await t.test(`not used: ${what}`, requires(await frontSupport()), async (t) => {
    const stage = await createFrontEndFixture();
    t.teardown(stage.stop);
    const broker = await startFakeBroker(stage.socketPath, (socket) => socket.end('polycloud/2\nanswer\n{}\nend\n'));
    t.teardown(broker.close);
    t.equal((await stage.ask()).stdout, '{}\n', 'used before');
    await make(stage.host.path, stage.socketPath);
    t.match(parseFullProgramStart(await stage.ask()), { bytes: defaultCall.input.length });
    t.equal(broker.connections(), 1);
  });
}

await t.test('a process of another user can’t connect', requires(await frontSupport()), async (t) => {
  const stage = await createFrontEndFixture();
  t.teardown(stage.stop);
  const broker = await startFakeBroker(stage.socketPath, (socket) => socket.end('polycloud/2\nanswer\n{}\nend\n'));
  t.teardown(broker.close);
  const script = `require('net').connect('/run/polycloud/broker.sock').on('error', (e) => console.log(e.code)).on('connect', () => console.log('in'))`;
  const as = async (user: number): Promise<string> => {
    const args = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups', process.execPath, '--eval', script];
    return (await stage.host.run('setpriv', args, { env: {}, input: '', timeoutMs: 10_000 })).stdout;
  };
  t.equal(await as(nobody), 'EACCES\n');
  t.equal(await as(0), 'in\n');
  t.equal(broker.connections(), 1);
});
