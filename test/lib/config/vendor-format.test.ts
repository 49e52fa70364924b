import { globSync, readFileSync } from 'node:fs';
import t from 'tap';
import { projectDirectory } from '../../../build/project.ts';
import { clouds } from '../../../clouds/index.ts';
import { refuseVendorFormat } from '../../../lib/config/vendor-format.ts';

const vendors: ReadonlyArray<readonly [text: string, whose: RegExp, hint: RegExp]> = [
  ['[Global]\nZone = us-west-2a\n', /the AWS cloud provider \(INI\), not in ours$/, /^use the key `aws` of our/],
  [
    '[ServiceOverride "1"]\nService = ec2\n',
    /the AWS cloud provider \(INI\), not in ours$/,
    /^use the key `aws` of our/,
  ],
  [
    '; a comment\n\n[global]\nproject-id = p\n',
    /the Google cloud provider \(INI\), not in ours$/,
    /^use the key `gcp` of our/,
  ],
  [
    '# a\n; b\n[Global]\nregional = true\n',
    /the Google cloud provider \(INI\), not in ours$/,
    /^use the key `gcp` of our/,
  ],
  [
    '{\n  "cloud": "AzurePublicCloud",\n  "tenantId": "x"\n}',
    /\(azure\.json\), not in ours$/,
    /^use the key `azure` of our/,
  ],
  ['{"tagsMap":{"a":"b"},"TENANTID":"x"}', /\(azure\.json\), not in ours$/, /^use the key `azure` of our/],
  ['cloud: AzurePublicCloud\ntenantId: x\n', /\(azure\.yaml\), not in ours$/, /^use the key `azure` of our/],
  [
    '[Global]\nauth-url = https://a\nregion = RegionOne\n',
    /the OpenStack cloud provider \(INI\), not in ours$/,
    /^use the key `openstack` of our/,
  ],
  [
    '; a\n[LoadBalancer]\nuse-octavia = true\n[Global]\nregion = a\nuse-clouds = true\n',
    /the OpenStack cloud provider \(INI\), not in ours$/,
    /^use the key `openstack` of our/,
  ],
  // vSphere's, https://github.com/kubernetes/cloud-provider-vsphere.
  ['[Global]\nuser = "a"\n\n[VirtualCenter "b"]\n', /is an INI file, .* not YAML$/, /write a YAML file with our keys/],
  ['[global]\n', /is an INI file, .* not YAML$/, /write a YAML file with our keys/],
];
for (const [text, whose, hint] of vendors) {
  await t.test(`refused by name: ${JSON.stringify(text.slice(0, 30))}`, async (t) => {
    const refused = refuseVendorFormat(text, '/etc/cloud.conf', clouds);
    await t.rejects(refused, { kind: 'misconfigured', message: whose, remedy: hint });
  });
}

const ours = [
  '',
  'registries: []\n',
  '{"aws": {}}',
  '{"azure": {"tenantId": "x", "scopes": [{"name": "a", "subscriptionId": "b"}]}}',
  'azure:\n  tenantId: x\n  scopes: []\n',
  '# [Global]\ncaFile: /a\n',
];
for (const text of ours) {
  await t.test(`our own format is accepted: ${JSON.stringify(text)}`, async (t) => {
    await t.resolves(refuseVendorFormat(text, '/etc/polycloud/config.yaml', clouds));
  });
}

const malformed: ReadonlyArray<readonly [text: string, message: RegExp]> = [
  [
    '[Global]\nRegion = us-west-2\n!! hidden\n',
    /^\/etc\/cloud\.conf, line 3: is neither a section nor a setting of one$/,
  ],
  ['[Global]\nRegion = us-west-2\n[hidden\n', /^\/etc\/cloud\.conf, line 3: is neither a section/],
];
for (const [text, message] of malformed) {
  await t.test(`a line that cannot be read: ${JSON.stringify(text)}`, async (t) => {
    const refused = refuseVendorFormat(text, '/etc/cloud.conf', clouds);
    await t.rejects(refused, { kind: 'misconfigured', message, remedy: 'correct it' });
  });
}

/** A pattern that tries every split of such a text would not end. */
await t.test('recognising a file of many equal parts ends', async (t) => {
  const odd = ['\n', ' ', '[', '# \n', '[global]\n', 'a-', '{', '"tenantId"', '[global]\n \t'].map((text) =>
    text.repeat(Math.ceil(200_000 / text.length)),
  );
  for (const text of odd) {
    const ended = refuseVendorFormat(text, '/etc/cloud.conf', clouds).catch(() => undefined);
    await t.resolves(ended, JSON.stringify(text.slice(0, 20)));
  }
});

for (const { name, vendorConfigs, replaceVendorConfig } of clouds) {
  await t.test(`what replaces a file of ${name}`, async (t) => {
    t.equal(replaceVendorConfig !== undefined, vendorConfigs.length > 0);
    for (const { replacedBy } of vendorConfigs) t.equal(replacedBy, name);
    const texts = globSync(`clouds/${name}/**/*.ts`, { cwd: projectDirectory }).map(
      (file) => [file, readFileSync(`${projectDirectory}/${file}`, 'utf8')] as const,
    );
    const isReplacement = (file: string): boolean => file.endsWith('/vendor-config.ts');
    const others = texts.filter(([file]) => !isReplacement(file)).map(([, text]) => text);
    for (const [, text] of texts.filter(([file]) => isReplacement(file))) {
      const variables = [...text.matchAll(/'([A-Z]+(?:_[A-Z0-9]+)+)'/g)].map(([, variable = '']) => variable);
      for (const variable of variables) {
        const isRead = others.some((other) => other.includes(variable));
        t.ok(isRead, `${variable} is read`);
      }
    }
  });
}
