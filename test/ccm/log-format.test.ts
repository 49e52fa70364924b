import t from 'tap';
import { formatLine, readLogFormat } from '../../ccm/log-format.ts';

const line = { atWallMs: Date.parse('2026-11-18T12:00:00.123Z'), level: 1, message: 'a "word"\nand another' };

await t.test('text', async (t) => {
  t.equal(readLogFormat({}), 'text');
  t.equal(formatLine('text', { ...line, message: 'a word' }), '2026-11-18T12:00:00.123Z a word\n');
});

await t.test('an object a line', async (t) => {
  const text = formatLine(readLogFormat({ '--logging-format': 'json' }), line);
  t.match(text, /^[^\n]+\n$/);
  t.strictSame(JSON.parse(text), { ts: line.atWallMs, v: 1, msg: line.message });
});

await t.test('another format is a mistake', async (t) => {
  for (const format of ['xml', 'toString']) {
    t.throws(() => readLogFormat({ '--logging-format': format }), {
      kind: 'misconfigured',
      message: /--logging-format/,
    });
  }
});
