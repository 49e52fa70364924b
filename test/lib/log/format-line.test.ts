import t from 'tap';
import { formatLine } from '../../../lib/log/format-line.ts';
import type { LogLine } from '../../../lib/log/format-line.ts';

process.env['TZ'] = 'UTC';

const line: LogLine = {
  atWallMs: Date.parse('2026-11-19T00:41:14.123Z'),
  severity: 'info',
  verbosity: 0,
  message: 'Deleted Node',
  fields: { node: 'node-1', dryRun: false, clouds: ['aws', 'static'], evidence: undefined },
};
const source = { component: 'polycloud-ccm', pid: 4711 };

await t.test("text has klog's header and quoted values", (t) => {
  t.equal(
    formatLine('text', line, source),
    'I1119 00:41:14.123000    4711 polycloud-ccm] "Deleted Node" node="node-1" dryRun=false clouds=["aws","static"]\n',
  );
  t.match(formatLine('text', { ...line, severity: 'error' }, source), /^E1119 00:41:14/);
  t.end();
});

await t.test('text has the local time, as klog', (t) => {
  process.env['TZ'] = 'Asia/Kolkata';
  t.match(formatLine('text', line, source), /^I1119 06:11:14\.123000 /);
  process.env['TZ'] = 'UTC';
  t.end();
});

await t.test('JSON has the time, the level, the message and the keys', (t) => {
  const common = { ts: line.atWallMs, msg: 'Deleted Node', node: 'node-1', dryRun: false, clouds: ['aws', 'static'] };
  t.strictSame(JSON.parse(formatLine('json', line, source)), { ...common, level: 'info', v: 0 });
  t.strictSame(JSON.parse(formatLine('json', { ...line, severity: 'error' }, source)), { ...common, level: 'error' });
  t.end();
});

await t.test('nothing in a value looks like another line or moves the cursor', (t) => {
  const forged = 'a\nE1119 forged] "b"\u001B[2K\u0085\u2028\u202E\u200B\u{E0001}\uD800';
  for (const format of ['text', 'json'] as const) {
    const text = formatLine(format, { ...line, message: forged, fields: { providerID: forged } }, source);
    t.match(text, /^[ -~]+\n$/, format);
  }
  const { msg, providerID } = JSON.parse(
    formatLine('json', { ...line, message: forged, fields: { providerID: forged } }, source),
  ) as Readonly<Record<string, unknown>>;
  t.equal(msg, forged);
  t.equal(providerID, forged);
  t.end();
});

await t.test('letters of other languages stay', (t) => {
  t.match(formatLine('text', { ...line, fields: { reason: 'größer als 5' } }, source), /reason="größer als 5"/);
  t.end();
});
