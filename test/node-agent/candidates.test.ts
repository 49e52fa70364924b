import t from 'tap';
import { cloudsWith } from '../../clouds/index.ts';
import { chooseCandidates } from '../../node-agent/candidates.ts';
import { parseConfigFile } from '../../lib/config/parse-config.ts';
import { fakeHost } from '../clouds/fake-host.ts';

const runtime = { env: {}, host: fakeHost({}) };
const config = parseConfigFile('', '/config.yaml');
const supported = { kind: 'misconfigured', remedy: `supported: ${cloudsWith('metadata').join(', ')}` };

function namesFor(flags: { cloudName?: string; detectClouds?: readonly string[] }): unknown {
  const whole = { cloudName: undefined, detectClouds: undefined, ...flags };
  const { named, possible } = chooseCandidates(whole, runtime, config);
  return [named?.name, possible.map(({ name }) => name)];
}

await t.test('without a word every cloud that has metadata is detected', (t) => {
  t.strictSame(namesFor({}), [undefined, cloudsWith('metadata')]);
  t.end();
});

await t.test('only those that are given are detected, static last', (t) => {
  t.strictSame(namesFor({ detectClouds: ['static', 'aws'] }), [undefined, ['aws', 'static']]);
  t.strictSame(namesFor({ detectClouds: ['static'] }), [undefined, ['static']]);
  t.end();
});

await t.test('one that is named is not detected', (t) => {
  t.match(namesFor({ cloudName: 'gcp' }), ['gcp']);
  t.end();
});

await t.test('a cloud whose machines cannot describe themselves is not supported yet', (t) => {
  const message = '--cloud names "azure", which is not supported yet';
  t.throws(() => namesFor({ cloudName: 'azure' }), { ...supported, message });
  t.throws(() => namesFor({ detectClouds: ['aws', 'azure'] }), { message: /^--detect-clouds names "azure"/ });
  t.end();
});

await t.test('a word that is no cloud', (t) => {
  t.throws(() => namesFor({ cloudName: 'awss' }), {
    ...supported,
    message: /"awss", which is not a cloud that we know/,
  });
  t.end();
});
