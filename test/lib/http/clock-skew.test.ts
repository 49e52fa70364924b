import t from 'tap';
import { clockSkewMs, isSkewed, skewText, toNodeTime } from '../../../lib/http/clock-skew.ts';

const wallMs = Date.parse('2026-11-18T12:00:00Z');
const minuteMs = 60_000;

await t.test('how far the clock of the server is ahead is read from the date of its response', (t) => {
  t.equal(skewOf('Wed, 18 Nov 2026 12:05:00 GMT'), 5 * minuteMs);
  t.equal(skewOf('Wed, 18 Nov 2026 11:58:00 GMT'), -2 * minuteMs);
  t.equal(skewOf(undefined), undefined);
  t.equal(skewOf('yesterday'), undefined);
  t.equal(skewOf('Thu, 01 Jan 1970 00:00:00 GMT'), undefined, 'an error of the server');
  t.end();
});

await t.test('less than a minute does not matter', (t) => {
  t.equal(isSkewed(59_999), false);
  t.equal(isSkewed(-minuteMs), true);
  t.equal(toNodeTime(wallMs, 59_999), wallMs);
  t.equal(toNodeTime(wallMs, 5 * minuteMs), wallMs - 5 * minuteMs);
  t.equal(toNodeTime(wallMs, -5 * minuteMs), wallMs + 5 * minuteMs);
  t.end();
});

await t.test('the message gives the direction', (t) => {
  t.equal(skewText(5 * minuteMs, "AWS's"), "this node's clock is 5 minutes behind AWS's");
  t.equal(skewText(-5 * minuteMs, "AWS's"), "this node's clock is 5 minutes ahead of AWS's");
  t.end();
});

function skewOf(date: string | undefined): number | undefined {
  return clockSkewMs({ status: 200, headers: date === undefined ? {} : { date }, body: new Uint8Array() }, wallMs);
}
