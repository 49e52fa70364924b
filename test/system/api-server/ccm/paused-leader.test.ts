import { setTimeout } from 'node:timers/promises';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import type { ControllerProcess } from './controller-process.ts';
import { quickFlags, soonMs, startController, untilLogged } from './controller-process.ts';
import { deletionsBy, readNode, registerKnown, writesTo } from './nodes.ts';
import { isFull, onCluster } from './on-cluster.ts';
import { changeInstance, launchInstances, requestsAbout, untilLookedUp, removeInstance } from './environment.ts';

/** One answer of EC2's is enough: what a leader learnt before it was stopped would be carried out when it wakes. */
const deletion = { notFoundSightings: 1, notFoundSpanMs: 0, notFoundMinAgeMs: 0, breakerNodes: 1_000 };
const defaultPause = { stoppedMs: 30_000, flags: [] };
const shortPause = {
  stoppedMs: 5_000,
  flags: [
    ['--leader-elect-lease-duration', '3s'],
    ['--leader-elect-renew-deadline', '2s'],
    ['--leader-elect-retry-period', '500ms'],
  ].flat(),
};
const delayMs = 1_500;

for (const { stoppedMs, flags } of isFull ? [shortPause, defaultPause] : [shortPause]) {
  await onCluster(
    `a leader that is stopped for ${stoppedMs / 1_000} s does nothing when it wakes`,
    async (t, world) => {
      const [awake, returning] = await launchInstances(world, 2, 12);
      if (!awake || !returning) throw new Error('the fleet is too small');
      await registerKnown(world, 'awake', awake, true);
      await registerKnown(world, 'returning', returning, false);
      const wishes = { deletion, flags: [...quickFlags, ...flags] };
      const leader = await startController(world, wishes);
      await untilLogged(leader.output, /"Leading" identity=/, soonMs);
      const follower = await startController(world, wishes);
      await untilLookedUp(world, 3, returning.instanceId);
      await untilLogged(follower.output, /"Following: this replica writes nothing" holder="/, soonMs);

      const asked = (await requestsAbout(world, returning.instanceId)).length;
      await world.aws.addFault({ service: 'ec2', kind: 'delay', delayMs });
      await untilLookedUp(world, 1, returning.instanceId);
      leader.signal('SIGSTOP');
      const stoppedAtMs = performance.now();
      await removeInstance(world, returning);
      await waitUntil({ what: 'the answer to a stopped leader', withinMs: 10_000, everyMs: 20 }, async () => {
        const questions = (await requestsAbout(world, returning.instanceId)).slice(asked);
        return questions.some(({ status }) => status === 400) || undefined;
      });
      await changeInstance(world, returning, {});
      await world.aws.clearFaults();
      await setTimeout(Math.max(0, stoppedMs - (performance.now() - stoppedAtMs)));
      await untilLogged(follower.output, /"Leading" identity=/, soonMs);
      await untilLookedUp(world, 2, returning.instanceId);
      const wokenAtMs = Date.now();
      leader.signal('SIGCONT');
      await untilLookedUp(world, 10, returning.instanceId);

      t.ok(await readNode(world, 'returning'), 'what it had learnt before is not carried out');
      t.strictSame(await deletionsBy(world), []);
      t.strictSame(await writesSince(leader, wokenAtMs), [], 'no Node was written by it');
      await untilLogged(leader.output, /The Lease is lost/, soonMs);
      t.match((await leader.page('/statusz')).text, /^following /, 'it follows');

      async function writesSince({ user }: ControllerProcess, sinceMs: number): Promise<readonly unknown[]> {
        const writes = await writesTo(world, undefined);
        return writes.filter(
          (event) => event.user.username === user && Date.parse(event.requestReceivedTimestamp) >= sinceMs,
        );
      }
    },
  );
}
