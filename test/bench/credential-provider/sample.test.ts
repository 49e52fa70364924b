import t from 'tap';
import { formatSample, formatWaits, nameIn, valueOf } from '../../../bench/credential-provider/sample.ts';
import type { ProviderSample, SampleSetting } from '../../../bench/credential-provider/sample.ts';

const at = (setting: SampleSetting, p50: number): ProviderSample => ({
  setting,
  measured: [
    { name: 'ours', wallMs: { p50, p95: p50 + 1 }, rssAnonKb: { p50: 2048, p95: 2048 } },
    { name: 'bare node', wallMs: { p50: 30, p95: 31 } },
  ],
});
const trips: ProviderSample = {
  setting: 'trips',
  trips: [{ variant: 'ours', metadataCalls: 3, cloudCalls: 1, connections: 1, roundTrips: 3 }],
};
const samples = [trips, at('aws, 0 ms', 70), at('aws, 50 ms', 195)];

await t.test('a gate finds what was measured in its setting', (t) => {
  t.equal(valueOf(samples, 'ours', 'roundTrips'), 3);
  t.equal(valueOf(samples, nameIn('aws, 0 ms', 'ours'), 'wallMs'), 70);
  t.equal(valueOf(samples, nameIn('aws, 50 ms', 'ours'), 'wallMs'), 195);
  t.equal(valueOf(samples, nameIn('aws, 0 ms', 'ours'), 'rssAnonKb'), 2048);
  t.equal(valueOf(samples, nameIn('aws, 10 ms', 'ours'), 'wallMs'), undefined, 'not measured');
  t.equal(valueOf(samples, 'nobody', 'roundTrips'), undefined);
  t.end();
});

await t.test('what an answer waits for is what distance adds to it', (t) => {
  t.strictSame(formatWaits(samples).trim().split('\n'), [
    'waits for        round trips',
    'ours (aws)               2.5',
    'bare node (aws)          0.0',
  ]);
  t.equal(formatWaits([at('aws, 0 ms', 70)]), '', 'without a far measurement there is no text');
  t.end();
});

await t.test('the table of what was asked', (t) => {
  t.strictSame(formatSample(trips).trim().split('\n'), [
    'one answer  metadata calls  cloud calls  connections  round trips',
    'ours                     3            1            1            3',
  ]);
  t.end();
});
