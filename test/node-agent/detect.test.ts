import t from 'tap';
import type { Cloud } from '../../clouds/cloud.ts';
import { detectCloud, namedCloud } from '../../node-agent/detect.ts';
import type { CloudCandidate } from '../../node-agent/detect.ts';
import { unusedContext } from '../clouds/contexts.ts';

type Detection = 'yes' | 'no' | 'unknown' | 'not offered';

function candidate(name: string, detection: Detection, asked: string[]): CloudCandidate {
  const detect = async (): Promise<'yes' | 'no' | 'unknown'> => {
    asked.push(name);
    return detection === 'not offered' ? 'no' : detection;
  };
  const describe = async (): Promise<never> => Promise.reject(new Error('not asked for here'));
  const cloud: Cloud = { name, ...(detection !== 'not offered' && { metadata: { detect, describe } }) };
  return { name, load: () => Promise.resolve(cloud) };
}

const rows: readonly {
  readonly detections: readonly (readonly [string, Detection])[];
  readonly expected: string | RegExp;
  readonly asked: readonly string[];
}[] = [
  {
    detections: [
      ['a', 'yes'],
      ['b', 'yes'],
    ],
    expected: 'a',
    asked: ['a'],
  },
  {
    detections: [
      ['a', 'no'],
      ['b', 'yes'],
    ],
    expected: 'b',
    asked: ['a', 'b'],
  },
  {
    detections: [
      ['a', 'not offered'],
      ['b', 'yes'],
    ],
    expected: 'b',
    asked: ['b'],
  },
  {
    detections: [
      ['a', 'unknown'],
      ['b', 'yes'],
    ],
    expected: /cannot detect whether this machine runs on a/,
    asked: ['a'],
  },
  {
    detections: [
      ['a', 'no'],
      ['b', 'unknown'],
    ],
    expected: /cannot detect whether this machine runs on b/,
    asked: ['a', 'b'],
  },
  {
    detections: [
      ['a', 'no'],
      ['b', 'no'],
    ],
    expected: /no cloud detected; tried a, b/,
    asked: ['a', 'b'],
  },
];
for (const { detections, expected, asked } of rows) {
  await t.test(JSON.stringify(detections), async (t) => {
    const seen: string[] = [];
    const candidates = detections.map(([name, detection]) => candidate(name, detection, seen));
    const detecting = detectCloud(candidates, unusedContext);
    if (typeof expected === 'string') t.equal((await detecting).name, expected);
    else await t.rejects(detecting, { name: 'Failure', message: expected, remedy: /--cloud/ });
    t.strictSame(seen, asked);
  });
}

await t.test('a named cloud is not detected', async (t) => {
  const asked: string[] = [];
  t.equal((await namedCloud(candidate('a', 'no', asked))).name, 'a');
  t.strictSame(asked, []);
  await t.rejects(namedCloud(candidate('a', 'not offered', asked)), {
    kind: 'misconfigured',
    message: /^a has no instance metadata/,
  });
});
