import t from 'tap';
import { partitionOfRegion, partitions } from '../../../clouds/aws/partitions.ts';

const regions: Readonly<Record<string, readonly string[]>> = {
  aws: [
    'us-east-1',
    'us-west-2',
    'eu-south-2',
    'ap-southeast-7',
    'ap-east-2',
    'ca-west-1',
    'mx-central-1',
    'il-central-1',
    'me-south-1',
    'af-south-1',
    'sa-east-1',
  ],
  'aws-us-gov': ['us-gov-east-1', 'us-gov-west-1'],
  'aws-cn': ['cn-north-1', 'cn-northwest-1'],
  'aws-eusc': ['eusc-de-east-1'],
  'aws-iso': ['us-iso-east-1', 'us-iso-west-1'],
  'aws-iso-b': ['us-isob-east-1', 'us-isob-west-1'],
  'aws-iso-e': ['eu-isoe-west-1'],
  'aws-iso-f': ['us-isof-east-1', 'us-isof-south-1'],
};

for (const [name, known] of Object.entries(regions)) {
  await t.test(`the regions of ${name} are in no other partition`, (t) => {
    for (const region of known) {
      t.strictSame(
        partitions.filter((partition) => partition.regions.test(region)).map((partition) => partition.name),
        [name],
        region,
      );
      t.equal(partitionOfRegion(region)?.name, name);
    }
    t.end();
  });
}

for (const region of [
  '',
  'us',
  'us-east',
  'us-east-',
  'us-east-1a',
  'us-east-123',
  'US-EAST-1',
  'us-east-1.evil',
  'xus-east-1',
  'us-gov-1',
  'us-iso-1',
  'global',
  'aws-global',
  'us-east-1\n',
  'constructor',
  '__proto__',
]) {
  await t.test(`${JSON.stringify(region)} is a region of none`, (t) => {
    t.equal(partitionOfRegion(region), undefined);
    t.end();
  });
}

await t.test('every suffix is a plain name', (t) => {
  for (const { name, suffix, dualStackSuffix, dualStackImageSuffix } of partitions) {
    for (const text of [suffix, dualStackSuffix, dualStackImageSuffix ?? 'none']) t.match(text, /^[a-z0-9.-]+$/, name);
  }
  t.equal(new Set(partitions.map(({ name }) => name)).size, partitions.length);
  t.end();
});
