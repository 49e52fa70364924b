import t from 'tap';
import { clouds } from '../../../clouds/index.ts';
import { readCloudName, readCloudNames } from '../../../lib/command-line/cloud-names.ts';
import { bareTraits } from '../../clouds/bare-traits.ts';

const known = [
  { ...bareTraits('aws'), capabilities: ['metadata', 'instances'] },
  { ...bareTraits('gcp'), aliases: ['gce'], capabilities: ['metadata', 'instances'] },
  { ...bareTraits('moon'), aliases: ['luna'], capabilities: ['metadata'] },
] as const;

const read = (text: string): readonly string[] => readCloudNames('--cloud-provider', text, 'instances', known);

await t.test('names and other names, in the order that was given, each cloud once', async (t) => {
  t.strictSame(read('gcp'), ['gcp']);
  t.strictSame(read('gce,aws'), ['gcp', 'aws']);
  t.strictSame(read(' aws, gce ,,gcp,aws'), ['aws', 'gcp']);
  t.equal(readCloudName('--cloud', 'luna', 'metadata', known), 'moon');
});

await t.test('an empty list', async (t) => {
  for (const text of ['', ' , ']) t.throws(() => read(text), { message: '--cloud-provider names no cloud' });
});

const refused: ReadonlyArray<readonly [text: string, message: string]> = [
  ['awss', '--cloud-provider names "awss", which is not a known cloud'],
  ['aws,gcee', '--cloud-provider names "gcee", which is not a known cloud'],
  ['AWS', '--cloud-provider names "AWS", which is not a known cloud'],
  ['moon', '--cloud-provider names "moon", which is not supported yet'],
  ['luna', '--cloud-provider names "luna", which is not supported yet'],
];
for (const [text, message] of refused) {
  await t.test(`refused: ${text}`, async (t) => {
    t.throws(() => read(text), { kind: 'misconfigured', message, remedy: 'supported: aws, gcp' });
  });
}

await t.test('no name and no other name belongs to two clouds', async (t) => {
  const names = clouds.flatMap(({ name, aliases }) => [name, ...aliases]);
  t.strictSame(names, [...new Set(names)]);
  for (const { name, aliases, capabilities } of clouds) {
    for (const given of [name, ...aliases]) {
      for (const capability of capabilities) t.equal(readCloudName('--cloud', given, capability, clouds), name);
    }
  }
});
