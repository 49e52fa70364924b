import t from 'tap';
import { createResolver } from '../../../lib/http/resolve.ts';
import type { IpAddress, Resolve } from '../../../lib/http/resolve.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';

const address: IpAddress = { address: '10.0.0.1', family: 4 };

interface Lookups {
  readonly lookup: Resolve;
  readonly hosts: string[];
  readonly answers: PromiseWithResolvers<readonly IpAddress[]>[];
}

function recordLookups(): Lookups {
  const hosts: string[] = [];
  const answers: PromiseWithResolvers<readonly IpAddress[]>[] = [];
  const lookup: Resolve = (host) => {
    const answer = Promise.withResolvers<readonly IpAddress[]>();
    hosts.push(host);
    answers.push(answer);
    return answer.promise;
  };
  return { lookup, hosts, answers };
}

await t.test('callers share a lookup that is in flight', async (t) => {
  const { lookup, hosts, answers } = recordLookups();
  const resolve = createResolver(lookup, createFakeClock(0));
  const both = [resolve('a.example'), resolve('a.example')];
  t.strictSame(hosts, ['a.example']);
  answers[0]?.resolve([address]);
  t.strictSame(await Promise.all(both), [[address], [address]]);
});

await t.test('a retry gets the result of a lookup that ended after its first caller had left', async (t) => {
  const { lookup, hosts, answers } = recordLookups();
  const clock = createFakeClock(0);
  const resolve = createResolver(lookup, clock);
  resolve('a.example').catch(() => {});
  await clock.advance(12_000);
  answers[0]?.resolve([address]);
  await clock.advance(3_000);
  t.strictSame(await resolve('a.example'), [address]);
  t.strictSame(hosts, ['a.example']);
});

await t.test('a result is kept for 10 s', async (t) => {
  const { lookup, hosts, answers } = recordLookups();
  const clock = createFakeClock(0);
  const resolve = createResolver(lookup, clock);
  answers[0]?.resolve([address]);
  const first = resolve('a.example');
  answers[0]?.resolve([address]);
  await first;
  await clock.advance(9_999);
  t.strictSame(await resolve('a.example'), [address]);
  await clock.advance(1);
  resolve('a.example').catch(() => {});
  t.equal(hosts.length, 2);
});

await t.test('a failure is not kept', async (t) => {
  const { lookup, hosts, answers } = recordLookups();
  const resolve = createResolver(lookup, createFakeClock(0));
  const first = resolve('a.example');
  answers[0]?.reject(new Error('no answer'));
  await t.rejects(first, { message: 'no answer' });
  const second = resolve('a.example');
  answers[1]?.resolve([address]);
  t.strictSame(await second, [address]);
  t.equal(hosts.length, 2);
});

await t.test('each host has a lookup of its own', (t) => {
  const { lookup, hosts } = recordLookups();
  const resolve = createResolver(lookup, createFakeClock(0));
  for (const host of ['a.example', 'b.example']) resolve(host).catch(() => {});
  t.strictSame(hosts, ['a.example', 'b.example']);
  t.end();
});

for (const [host, family] of [
  ['169.254.169.254', 4],
  ['fd00:ec2::254', 6],
] as const) {
  await t.test(`${host} is an address, and DNS is not asked`, async (t) => {
    const { lookup, hosts } = recordLookups();
    t.strictSame(await createResolver(lookup)(host), [{ address: host, family }]);
    t.strictSame(hosts, []);
  });
}
