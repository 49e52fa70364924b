import fs, { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import t from 'tap';
import type { Test } from 'tap';
import { installWork } from '../../../../node-agent/install/install.ts';
import { restartWith } from '../../../../node-agent/install/restart/restart-kubelet.ts';
import { checkEnd, createWorld, flagFile, passTime } from './world.ts';
import type { World } from './world.ts';

// Thousands of writes: here no power is lost.
fs.fsyncSync = () => undefined;
syncBuiltinESMExports();

/** While it looks whether the kubelet is Ready, one step is like the next. */
const stepsBeforeLooking = 30;

for (const startsWithFlags of [true, false]) {
  const kubelet = startsWithFlags ? 'a good kubelet' : 'a kubelet that does not start';
  await t.test(`killed at every step with ${kubelet}, and run again`, async (t) => {
    for (let steps = 0; ; steps += startsWithFlags || steps < stepsBeforeLooking ? 1 : 9) {
      const world = createWorld(t, { startsWithFlags });
      if (!(await killedAfter(steps, world))) return;
      const next = (['at once', 'after the timer', 'after a reboot'] as const)[steps % 3] ?? 'at once';
      await runAgain(t, world, { startsWithFlags, next, when: `killed after ${String(steps)}, ${next}` });
    }
  });
}

interface NextRun {
  readonly startsWithFlags: boolean;
  readonly next: 'at once' | 'after the timer' | 'after a reboot';
  readonly when: string;
}

async function runAgain(t: Test, world: World, { startsWithFlags, next, when }: NextRun): Promise<void> {
  const { node, api, clock } = world;
  const isUnderWay = existsSync(node.host.locate('/var/lib/polycloud/restart/attempt.json'));
  if (isUnderWay) t.equal(api.lease?.spec.holderIdentity, 'node-1', `others wait: ${when}`);
  if (next === 'after a reboot') node.reboot();
  if (next !== 'at once') {
    await clock.advance(90_000);
    t.ok(node.isWell(), `the node works by itself: ${when}`);
  }
  const failure = await world.run('install').then(
    () => '',
    (error: unknown) => (error as Error).message,
  );
  t.match(failure, startsWithFlags ? /^$|the old ones are back/ : /the old ones are back/, when);
  t.ok(node.isWell(), `the node works at the end: ${when}`);
  t.equal(existsSync(node.host.locate(flagFile)), failure === '', when);
  checkEnd(t, world);
}

class Killed extends Error {}

/** Stops the installer after so many steps, as a killed process: it does nothing any more. `false`: it came to its end. */
async function killedAfter(steps: number, { node, clock, request, tools }: World): Promise<boolean> {
  let left = steps;
  const step = (): void => {
    left -= 1;
    if (left < 0) throw new Killed('killed');
  };
  const guarded = <Calls extends object>(calls: Calls): Calls =>
    Object.fromEntries(
      Object.entries(calls).map(([name, call]) => [
        name,
        async (...args: unknown[]) => {
          step();
          return (call as (...all: unknown[]) => unknown)(...args);
        },
      ]),
    ) as Calls;
  const { renameSync } = fs;
  fs.renameSync = (...paths) => {
    step();
    renameSync(...paths);
  };
  syncBuiltinESMExports();
  const { readNode } = guarded({ readNode: tools.readNode });
  const dying = { ...tools, readNode, systemd: guarded(tools.systemd), lease: guarded(tools.lease) };
  try {
    await passTime(
      restartWith(
        node.host,
        () => installWork(request),
        () => Promise.resolve(dying),
      ),
      clock,
    ).catch(() => undefined);
  } finally {
    fs.renameSync = renameSync;
    syncBuiltinESMExports();
  }
  return left < 0;
}
