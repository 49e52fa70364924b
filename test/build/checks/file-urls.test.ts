import t from 'tap';
import { checkFileUrls } from '../../../build/checks/file-urls.ts';

const others = ['bench/broker/measure.ts', 'test/fixtures/a.json'].map((path) => ({ path, text: '' }));
const rows: readonly (readonly [target: string, exists: boolean])[] = [
  ['broker/measure.ts', true],
  ['./broker/measure.ts', true],
  ['../test/fixtures/a.json', true],
  ['../test/fixtures/', true],
  ['..', true],
  ['broker/inside.ts', false],
  ['../test/fixture/', false],
];

for (const [target, exists] of rows) {
  await t.test(`${target} ${exists ? 'exists' : 'does not exist'}`, (t) => {
    const text = `const file = fileURLToPath(new URL('${target}', import.meta.url));`;
    const found = checkFileUrls([...others, { path: 'bench/broker.ts', text }]);
    t.equal(found.length, exists ? 0 : 1);
    t.end();
  });
}
