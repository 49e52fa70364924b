import t from 'tap';
import { requires } from '../../../lab/requires.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { frontSupport } from './fixture.ts';
import { createWarmNode, deadlineMs, passwordOf } from './warm-node.ts';

const hourMs = 3_600_000;
const image = `123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app`;
const support = requires(await frontSupport());

/** Image `number` of 50, which are in 5 registries. */
function imageOf(number: number): string {
  return `12345678901${number % 5}.dkr.ecr.us-west-2.amazonaws.com/team/app-${number % 50}`;
}

await t.test('200 requests at once, for 50 images of 5 registries, on a cold node', support, async (t) => {
  const node = await createWarmNode();
  t.teardown(node.stop);
  const results = await Promise.all(Array.from({ length: 200 }, (_, number) => node.ask({ image: imageOf(number) })));
  t.equal(results.filter(({ code }) => code === 0).length, 200, 'all get a response');
  t.equal(new Set(results.map(passwordOf)).size, 5);
  t.ok(Math.max(...results.map(({ durationMs }) => durationMs)) < deadlineMs, 'none after its deadline');
  t.equal(await node.logins(), 5, 'one login per registry');
  t.match((await node.broker.send({})).status.requests, { answer: 200, failure: 0, decline: 0 });

  await t.test('a new broker needs one login per registry', async (t) => {
    await node.broker.send({ restart: true });
    await Promise.all(Array.from({ length: 20 }, (_, number) => node.ask({ image: imageOf(number) })));
    t.equal(await node.logins(), 10);
  });
});

await t.test('an unavailable cloud', support, async (t) => {
  const node = await createWarmNode();
  t.teardown(node.stop);
  const password = passwordOf(await node.ask({ image }));
  for (const service of ['ecr', 'imds']) await node.network.aws.addFault({ service, kind: 'refuse' });

  await t.test('has no effect for the rest of the login’s life', async (t) => {
    await node.broker.send({ wallAheadMs: 11.9 * hourMs });
    t.equal(passwordOf(await node.ask({ image })), password);
    t.equal(passwordOf(await node.ask({ image })), password);
  });

  await t.test('and is one clear line after it', async (t) => {
    await node.broker.send({ wallAheadMs: 12.1 * hourMs });
    const { code, stdout, stderr } = await node.ask({ image });
    t.match({ code, stdout }, { code: 1, stdout: '' });
    t.match(stderr, /^polycloud-credential-provider: [^\n]+: the connection was refused[^\n]*; hint: [^\n]+\n$/);
  });

  await t.test('logins work again when it is back', async (t) => {
    await node.network.aws.clearFaults();
    const renewed = passwordOf(await node.ask({ image }));
    t.match(renewed, /^eyJ/);
    t.not(renewed, password);
  });
});

await t.test('a broker that is killed in the middle of a request', support, async (t) => {
  const node = await createWarmNode();
  t.teardown(node.stop);
  await node.network.aws.addFault({ service: 'ecr', kind: 'hang', count: 1 });
  const waiting = node.ask({ image });
  const patience = { what: 'the login that never comes', withinMs: 10_000, everyMs: 20 };
  await waitUntil(patience, async () => ((await node.logins()) === 1 ? true : undefined));
  node.broker.child.kill('SIGKILL');
  const result = await waiting;
  t.equal(result.code, 0);
  t.match(passwordOf(result), /^eyJ/, 'the full program has answered');
  t.equal(await node.logins(), 2);
  t.match(passwordOf(await node.ask({ image })), /^eyJ/, 'and goes on to, with the socket still there');
});
