import t from 'tap';
import { parseHttpDate, parseIsoDate } from '../../lib/parse-date.ts';

const ms = Date.parse('2026-11-18T12:15:00Z');

await t.test('a date in the format is read, whatever the zone of the machine', (t) => {
  t.equal(parseHttpDate('Wed, 18 Nov 2026 12:15:00 GMT'), ms);
  for (const text of ['2026-11-18T12:15:00Z', '2026-11-18T12:15:00.000Z', '2026-11-18T04:15:00-08:00']) {
    t.equal(parseIsoDate(text), ms, text);
  }
  t.end();
});

await t.test('anything else is none', (t) => {
  const others = [undefined, null, 5, '', 'soon 12', '2026-11-18', '2026-11-18T12:15:00', '2026-99-18T12:15:00Z'];
  for (const value of others) {
    t.equal(parseIsoDate(value), undefined, String(value));
    t.equal(parseHttpDate(value), undefined, String(value));
  }
  t.equal(parseHttpDate('2026-11-18T12:15:00Z'), undefined);
  t.equal(parseIsoDate('Wed, 18 Nov 2026 12:15:00 GMT'), undefined);
  t.equal(parseHttpDate('Wed, 18 Nov 2026 12:15:00'), undefined);
  t.end();
});
