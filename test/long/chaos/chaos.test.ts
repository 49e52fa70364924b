import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import type { ControlPlane } from '../../lab/control-plane/control-plane.ts';
import { showsSecret } from '../../lab/clouds/secrets.ts';
import { requires } from '../../lab/requires.ts';
import { createRandom } from '../../support/random.ts';
import { startEnvironment } from '../../system/api-server/ccm/environment.ts';
import {
  ownInstance,
  startMachineEnvironment as startOwnWorld,
  environmentSupport,
} from '../../system/api-server/node-agent/environment.ts';
import { startControllers } from './controllers.ts';
import { openCutProxy } from './cut-proxy.ts';
import { runFaults } from './faults.ts';
import type { ChaosFault } from './faults.ts';
import { createJumpingClock, jumpingClockSupport } from './jumping-clock.ts';
import { startAgentMachine } from './machine.ts';
import { watchMemory } from './memory.ts';

/** The executables under random faults, for `POLYCLOUD_CHAOS_MS`. The same seed gives the same faults. */
const chaosMs = Number(process.env['POLYCLOUD_CHAOS_MS'] || '60000');
const seed = process.env['POLYCLOUD_TEST_SEED'] || randomBytes(4).toString('hex');
const again = `POLYCLOUD_TEST_SEED=${seed} npm test -- test/long/chaos`;
const usually = { shortestMs: 200, longestMs: 4_000, pauseMs: 1_000 };
/** It takes seconds to start. */
const rarely = { shortestMs: 500, longestMs: 5_000, pauseMs: 15_000 };
const controllerKbMax = 64_000;
const agentKbMax = 64_000;

t.setTimeout(chaosMs + 240_000);
t.comment(`seed ${seed}; the same faults again: ${again}`);

await t.test(
  `chaos (seed ${seed})`,
  { ...requires(await environmentSupport()), ...requires(jumpingClockSupport()) },
  async (t) => {
    const plane = await controlPlaneFor(t, { parts: [] });
    const directory = await mkdtemp(join(tmpdir(), 'chaos-'));
    t.teardown(() => rm(directory, { recursive: true, force: true }));
    const [proxy, ownProxy] = [await openCutProxy(plane), await openCutProxy(plane)];
    t.teardown(() => {
      proxy.close();
      ownProxy.close();
    });
    const [clock, ownClock] = [
      await createJumpingClock(directory),
      await createJumpingClock(await mkdtemp(join(directory, 'own-'))),
    ];

    const world = { ...(await startEnvironment(t, plane)), plane: proxy.plane };
    // The agent's machine is one of the controller's instances too.
    await world.aws.update({ ec2Instances: { [ownInstance.instanceId]: ownInstance } });
    const controllers = await startControllers(world, { env: clock.env });
    const machine = await startAgentMachine(await startOwnWorld(t, ownProxy.plane), ownClock.env);

    const random = (name: string): ReturnType<typeof createRandom> => createRandom(`${seed} ${name}`);
    const endsAtMs = performance.now() + chaosMs;
    const over = new AbortController();
    t.teardown(() => over.abort());
    const memory = [watchMemory(controllers.pids, over.signal), watchMemory(machine.pids, over.signal)] as const;
    const work = [
      machine.pull(endsAtMs),
      controllers.run(random('life'), endsAtMs),
      runFaults({
        groups: [...controllers.faults, [proxy.fault], [clock.fault]],
        random: random('controller'),
        endsAtMs,
        ...usually,
      }),
      runFaults({
        groups: [...machine.faults, [ownProxy.fault], [ownClock.fault]],
        random: random('agent'),
        endsAtMs,
        ...usually,
      }),
      runFaults({
        groups: apiServerFaults(plane).map((fault) => [fault]),
        random: random('API server'),
        endsAtMs,
        ...rarely,
      }),
    ] as const;
    // Every fault ends first, whatever fails: a process that is stopped would not end by SIGTERM.
    await Promise.allSettled(work);
    const [pulls, , ...counts] = await Promise.all(work);
    for (const count of counts) t.comment([...count].map(([name, times]) => `${name} × ${times}`).join('; '));
    t.comment(`${pulls.logins} logins meanwhile`);

    await t.test('in the end the cluster is as it should be', async (t) => controllers.check(t));
    await t.test('in the end the machine is as it should be', async (t) => machine.check(t));
    await t.test('meanwhile every pull got a login or a reason', async (t) => {
      t.strictSame(pulls.problems, []);
      t.ok(pulls.logins > 0, `${pulls.logins} logins`);
    });
    await t.test('no secret was shown', async (t) => {
      for (const { where, text } of world.outputs) t.notOk(showsSecret(await text().catch(() => '')), where);
    });
    over.abort();
    const [controllerKb, agentKb] = await Promise.all(memory);
    t.ok(controllerKb < controllerKbMax, `a controller had ${controllerKb} kB at most`);
    t.ok(agentKb < agentKbMax, `the agent had ${agentKb} kB at most`);
  },
);

function apiServerFaults(plane: ControlPlane): readonly ChaosFault[] {
  return [
    { name: 'the API server is killed', begin: () => plane.killApiServer(), end: () => plane.startApiServer() },
    { name: 'the API server ends', begin: () => plane.stopApiServer(), end: () => plane.startApiServer() },
    {
      name: 'the API server says nothing (SIGSTOP)',
      begin: async () => plane.pause('kube-apiserver'),
      end: async () => plane.resume('kube-apiserver'),
    },
    {
      name: 'etcd says nothing (SIGSTOP)',
      begin: async () => plane.pause('etcd'),
      end: async () => plane.resume('etcd'),
    },
  ];
}
