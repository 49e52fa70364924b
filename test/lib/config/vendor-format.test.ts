import t from 'tap';
import { clouds } from '../../../clouds/index.ts';
import { refuseVendorFormat } from '../../../lib/config/vendor-format.ts';

const vendors: ReadonlyArray<readonly [text: string, whose: RegExp]> = [
  ['[Global]\nZone = us-west-2a\n', /AWS .* or the Google/],
  ['; a comment\n\n[global]\nproject-id = p\n', /AWS .* or the Google/],
  ['[ServiceOverride "1"]\nService = ec2\n', /format of the AWS cloud provider \(INI\), not in ours/],
  ['{\n  "cloud": "AzurePublicCloud",\n  "tenantId": "x"\n}', /azure\.json/],
  ['cloud: AzurePublicCloud\ntenantId: x\n', /azure\.yaml/],
];
for (const [text, whose] of vendors) {
  await t.test(`refused by name: ${JSON.stringify(text.slice(0, 30))}`, async (t) => {
    t.throws(() => refuseVendorFormat(text, '/etc/cloud.conf', clouds), { kind: 'misconfigured', message: whose });
  });
}

const hints: ReadonlyArray<readonly [text: string, hint: RegExp]> = [
  ['[Global]\nZone = us-west-2a\n', /^see `aws` or `gcp` in /],
  ['[ServiceOverride "1"]\nService = ec2\n', /^see `aws` in /],
  ['cloud: AzurePublicCloud\ntenantId: x\n', /^see `azure` in /],
];
for (const [text, hint] of hints) {
  await t.test(`the hint names our keys: ${JSON.stringify(text.slice(0, 30))}`, async (t) => {
    t.throws(() => refuseVendorFormat(text, '/etc/cloud.conf', clouds), { message: / not in ours$/, remedy: hint });
  });
}

await t.test('our own format is accepted', async (t) => {
  for (const text of ['', 'registries: []\n', '{"aws": {}}', '# [Global]\ncaFile: /a\n']) {
    t.doesNotThrow(() => refuseVendorFormat(text, '/etc/polycloud/config.yaml', clouds), text);
  }
});
