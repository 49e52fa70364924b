import t from 'tap';
import { requires } from '../../../lab/requires.ts';
import { startAgent, untilMetadataRead } from './agent-process.ts';
import { requestsBy, change, isInitialized, register, untilNode } from './nodes.ts';
import { setInstance, startAgentEnvironment, environmentSupport } from './environment.ts';

const program = 'polycloud-node-agent';
const idleRequestsAnHour = 20;

await t.test(
  'an idle agent asks the API server for hardly anything',
  requires(await environmentSupport()),
  async (t) => {
    const world = await startAgentEnvironment(t);
    await setInstance(world, {});
    await register(world, { name: 'idle' });
    const agent = startAgent(world, { nodeName: 'idle', flags: ['--node-status-update-frequency', '100ms'] });
    await untilNode(world, 'idle', 'is initialised', isInitialized);
    await untilMetadataRead(world, 2);
    const before = await requestsBy(world, program);
    // The metadata reads of an hour, and the kubelet's updates of an hour.
    for (let minute = 0; minute < 60; minute++) {
      await change(world, 'idle', { metadata: { annotations: { 'example.com/minute': String(minute) } } });
      if (minute % 10 === 9) await untilMetadataRead(world, 10);
    }
    const asked = (await requestsBy(world, program)).slice(before.length);
    t.strictSame(
      asked.map(({ verb, requestURI }) => `${verb} ${requestURI}`),
      [],
      'nothing for an hour of readings',
    );

    const watches = before.flatMap(({ verb, requestURI }) => (verb === 'watch' ? [requestURI] : []));
    const lastsS = watches.map((uri) => Number(new URL(uri, 'https://any').searchParams.get('timeoutSeconds')));
    t.ok(lastsS.length > 0 && lastsS.every((seconds) => 3_600 / seconds <= idleRequestsAnHour / 2), String(lastsS));
    t.ok(
      watches.every((uri) => uri.includes('fieldSelector=metadata.name%3Didle')),
      'of its own Node alone',
    );
    await agent.stop();
  },
);
