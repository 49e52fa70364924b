import t from 'tap';
import { cloudsWith } from '../../clouds/index.ts';
import { chooseCandidates } from '../../node-agent/candidates.ts';
import { parseConfigFile } from '../../lib/config/parse-config.ts';
import { fakeHost } from '../clouds/fake-host.ts';

const runtime = { env: {}, host: fakeHost({}) };
const config = parseConfigFile('', '/config.yaml');

function namesFor(flags: { cloudName?: string; detectClouds?: readonly string[] }): unknown {
  const whole = { cloudName: undefined, detectClouds: undefined, ...flags };
  const { named, possible } = chooseCandidates(whole, runtime, config);
  return [named?.name, possible.map(({ name }) => name)];
}

await t.test('without flags every cloud with metadata is detected', (t) => {
  t.strictSame(namesFor({}), [undefined, cloudsWith('metadata')]);
  t.end();
});

await t.test('--detect-clouds limits detection, with static last', (t) => {
  t.strictSame(namesFor({ detectClouds: ['static', 'aws'] }), [undefined, ['aws', 'static']]);
  t.strictSame(namesFor({ detectClouds: ['static'] }), [undefined, ['static']]);
  t.end();
});

await t.test('--cloud names a cloud without detection', (t) => {
  t.match(namesFor({ cloudName: 'gcp' }), ['gcp']);
  t.end();
});
