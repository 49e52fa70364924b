import { createConnection } from 'node:net';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { requestBytes } from '../provider.ts';
import { requires } from '../../../lab/requires.ts';
import { frontSupport } from './fixture.ts';
import { createWarmNode } from './warm-node.ts';

/** A round is what a person waits for; .ci/run makes 20 of them, and 100,000 requests are what is promised. */
const requestsEachRound = 5_000;
const rounds = Number(process.env['POLYCLOUD_TEST_ROUNDS'] || '1');
const registries = 50;
const atOnce = 20;
const mostGrowthBytes = 2_000_000;

t.setTimeout(60_000 + rounds * 60_000);

await t.test('memory stays as it is, however often it is asked', requires(await frontSupport()), async (t) => {
  const node = await createWarmNode();
  t.teardown(node.stop);
  const socketPath = node.host.path('/run/polycloud/broker.sock');
  const askMany = async (count: number): Promise<void> => {
    let left = count;
    const worker = async (): Promise<void> => {
      while (left-- > 0) {
        const image = `1234567890${10 + (left % registries)}.dkr.ecr.us-west-2.amazonaws.com/app-${left}`;
        const socket = createConnection(socketPath);
        socket.end(`polycloud/2 polycloud-credential-provider\n${requestBytes({ image })}`);
        const [answer] = await Promise.all([buffer(socket), once(socket, 'close')]);
        if (!answer.includes('\nend\n')) throw new Error(`no answer: ${answer.toString()}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  };
  await askMany(2_000);
  const before = await node.broker.send({ collectGarbage: true });
  const count = Math.min(100_000, rounds * requestsEachRound);
  await askMany(count);
  const after = await node.broker.send({ collectGarbage: true });
  t.equal(after.status.requests.answer, 2_000 + count);
  t.equal(await node.logins(), registries);
  const growthBytes = after.heapBytes - before.heapBytes;
  t.ok(growthBytes < mostGrowthBytes, `${growthBytes} bytes more after ${count} requests`);
});
