import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { measure, rotated } from '../../../bench/harness/measure.ts';

const rounds = { warmUp: 1, wall: 3, atOutput: 3 };
const answering = ['name', 'wallMs', 'cpuMs', 'rssAnonKb'];
const holdBytes = 50_000_000;

const directory = t.testdir({
  'answer.cjs': "require('node:fs').writeSync(1, 'x');",
  'hold.cjs': `const held = Buffer.alloc(${holdBytes}, 1); require('node:fs').writeSync(1, String(held[0]));`,
  'order.cjs': "require('node:fs').appendFileSync(process.argv[2], process.argv[3]);",
  'fail.cjs': 'process.exitCode = 3;',
});

await t.test('three rounds: time of all, memory and processor time of those that answer', async (t) => {
  const quiet = { name: '/bin/true', file: '/bin/true', args: [], env: {}, answers: false };
  const measured = await measure([quiet, node('answer', []), node('hold', [])], rounds, () => undefined);
  t.strictSame(
    measured.map((one) => Object.keys(one)),
    [['name', 'wallMs'], answering, answering],
  );
  const p50 = (metric: 'wallMs' | 'cpuMs' | 'rssAnonKb') => measured.map((one) => one[metric]?.p50 ?? 0);
  const [, answerKb = 0, holdKb = 0] = p50('rssAnonKb');
  t.ok(holdKb - answerKb > holdBytes / 1024 / 2, `sees the memory that one holds: ${answerKb} and ${holdKb} KB`);
  const [, answerCpuMs = 0] = p50('cpuMs');
  t.ok(answerCpuMs > 1, 'Node takes more than a millisecond of a processor');
  const [quietMs = 0, answerMs = 0] = p50('wallMs');
  t.ok(answerMs > quietMs, 'Node takes longer than /bin/true');
});

await t.test('every round begins with another variant', async (t) => {
  const log = join(directory, 'log');
  const variants = ['a', 'b', 'c'].map((name) => ({ ...node('order', [log, name]), name, answers: false }));
  await measure(variants, { warmUp: 0, wall: 4, atOutput: 0 }, () => undefined);
  t.equal(await readFile(log, 'utf8'), 'abcbcacababc');
  t.strictSame(rotated([], 1), []);
});

await t.test('a variant that fails is no measurement', async (t) => {
  await t.rejects(
    measure([node('fail', [])], rounds, () => undefined),
    { message: 'fail ended with 3' },
  );
});

function node(name: string, args: readonly string[]) {
  return { name, file: process.execPath, args: [join(directory, `${name}.cjs`), ...args], env: {}, answers: true };
}
