import t from 'tap';
import { decideInterruption } from '../../../node-agent/interruption/decide.ts';
import type { InterruptionDecision } from '../../../node-agent/interruption/decide.ts';
import type { KnownNotice } from '../../../node-agent/interruption/merge-notices.ts';
import { interruptionSettings } from '../../../node-agent/interruption/settings.ts';
import type { InterruptionSettings } from '../../../node-agent/interruption/settings.ts';
import type { InterruptionConfig } from '../../../schemas/config/interruption.ts';
import { defaultSettings, minuteMs, notice, nowMs, secondMs } from './notices.ts';

interface Row {
  readonly notices: readonly KnownNotice[];
  readonly settings?: InterruptionSettings;
  /** After `nowMs`. */
  readonly laterMs?: number;
  readonly decides: string;
}

const soon = { atMs: nowMs + 120 * secondMs } as const;
const inAnHour = { atMs: nowMs + 60 * minuteMs } as const;
const advice = { effect: 'may-end', id: 'r-1', source: 'rebalance' } as const;

const rows: Readonly<Record<string, Row>> = {
  'nothing announced': { notices: [], decides: '' },
  'an end in two minutes': { notices: [notice(soon)], decides: 'ends:NoSchedule drain in 120 s' },
  'an end that has begun, without a time': {
    notices: [notice({ state: 'started' })],
    decides: 'ends:NoSchedule drain in 120 s',
  },
  'the same, half a minute later': {
    notices: [notice({ state: 'started' })],
    laterMs: 30 * secondMs,
    decides: 'ends:NoSchedule drain in 90 s',
  },
  'an end whose time had passed when it was seen first': {
    notices: [notice({ atMs: nowMs - minuteMs })],
    decides: 'ends:NoSchedule drain in 120 s',
  },
  'an end whose time has passed since': {
    notices: [notice(soon)],
    laterMs: 3 * minuteMs,
    decides: 'ends:NoSchedule drain in -60 s',
  },
  'an end in an hour is advice until ten minutes before': {
    notices: [notice(inAnHour)],
    decides: 'ends:PreferNoSchedule again in 3000 s',
  },
  'ten minutes before': {
    notices: [notice(inAnHour)],
    laterMs: 50 * minuteMs,
    decides: 'ends:NoSchedule drain in 600 s',
  },
  'a reboot in two minutes': {
    notices: [notice({ ...soon, effect: 'restarts' })],
    decides: 'restarts:NoSchedule drain in 120 s',
  },
  'a pause is only reported': { notices: [notice({ ...soon, effect: 'pauses' })], decides: 'report pauses' },
  'a pause without a time is only reported': { notices: [notice({ effect: 'pauses' })], decides: 'report pauses' },
  'a pause that the operator wants to drain for': {
    notices: [notice({ ...soon, effect: 'pauses' })],
    settings: settingsWith({ actions: { aws: { pauses: 'drain' } } }),
    decides: 'pauses:NoSchedule drain in 120 s',
  },
  'the configuration of another cloud does not count': {
    notices: [notice({ ...soon, effect: 'pauses' })],
    settings: settingsWith({ actions: { gcp: { pauses: 'drain' } } }),
    decides: 'report pauses',
  },
  'advice without a time': { notices: [notice(advice)], decides: 'may-end:PreferNoSchedule again in 3600 s' },
  'advice that has become stale is only reported': {
    notices: [notice(advice)],
    laterMs: 60 * minuteMs,
    decides: 'report may-end',
  },
  'advice that the operator wants to drain for': {
    notices: [notice(advice)],
    settings: settingsWith({ actions: { aws: { 'may-end': 'drain' } } }),
    decides: 'may-end:NoSchedule drain without hurry again in 3600 s',
  },
  'the same, stale: the drained Node can be used again': {
    notices: [notice(advice)],
    settings: settingsWith({ actions: { aws: { 'may-end': 'drain' } } }),
    laterMs: 60 * minuteMs,
    decides: 'report may-end',
  },
  'advice and a deadline': {
    notices: [notice(advice), notice(soon)],
    decides: 'ends:NoSchedule drain in 120 s again in 3600 s',
  },
  'two deadlines: the earlier one counts': {
    notices: [notice({ atMs: nowMs + 5 * minuteMs, effect: 'restarts', id: 'n-2' }), notice(soon)],
    decides: 'ends:NoSchedule drain in 120 s',
  },
  'a deadline joins a drain without hurry': {
    notices: [notice(advice), notice(soon)],
    settings: settingsWith({ actions: { aws: { 'may-end': 'drain' } } }),
    decides: 'ends:NoSchedule drain in 120 s again in 3600 s',
  },
  'a firm taint hides advice': {
    notices: [notice(advice), notice({ ...soon, effect: 'pauses' })],
    settings: settingsWith({ actions: { aws: { pauses: 'taint' } } }),
    decides: 'pauses:NoSchedule again in 3600 s',
  },
  'mode taint': {
    notices: [notice(soon)],
    settings: interruptionSettings('taint', 'aws', {}),
    decides: 'ends:NoSchedule',
  },
  'mode report': {
    notices: [notice(soon), notice(advice)],
    settings: interruptionSettings('report', 'aws', { actions: { aws: { 'may-end': 'drain' } } }),
    decides: 'report ends report may-end again in 3600 s',
  },
  'mode ignore': { notices: [notice(soon)], settings: interruptionSettings('ignore', 'aws', {}), decides: '' },
  'an effect that is ignored': {
    notices: [notice(soon), notice(advice)],
    settings: settingsWith({ actions: { aws: { 'may-end': 'ignore' } } }),
    decides: 'ends:NoSchedule drain in 120 s',
  },
};

for (const [what, { notices, settings = defaultSettings, laterMs = 0, decides }] of Object.entries(rows)) {
  await t.test(what, (t) => {
    const atMs = nowMs + laterMs;
    t.equal(textOf(decideInterruption(notices, settings, atMs), atMs), decides);
    t.equal(textOf(decideInterruption(notices.toReversed(), settings, atMs), atMs), decides, 'in any order');
    t.end();
  });
}

await t.test('a drain starts at once when its time comes, and never because time goes back', (t) => {
  const hour = notice(inAnHour);
  const decided = decideInterruption([hour], defaultSettings, nowMs);
  const atMs = decided.decideAgainAtMs ?? 0;
  t.equal(decideInterruption([hour], defaultSettings, atMs - 1).drain, undefined);
  t.strictSame(decideInterruption([hour], defaultSettings, atMs).drain, { deadlineAtMs: hour.atMs, notices: [hour] });
  t.end();
});

function settingsWith(configured: InterruptionConfig): InterruptionSettings {
  return interruptionSettings('drain', 'aws', configured);
}

function textOf({ assessed, taint, drain, decideAgainAtMs }: InterruptionDecision, atMs: number): string {
  const seconds = (timeMs: number): string => `${String((timeMs - atMs) / secondMs)} s`;
  return [
    ...(taint === undefined ? assessed.map(({ action, notice: { effect } }) => `${action} ${effect}`) : []),
    ...(taint === undefined ? [] : [`${taint.value}:${taint.effect}`]),
    ...(drain === undefined
      ? []
      : [drain.deadlineAtMs === undefined ? 'drain without hurry' : `drain in ${seconds(drain.deadlineAtMs)}`]),
    ...(decideAgainAtMs === undefined ? [] : [`again in ${seconds(decideAgainAtMs)}`]),
  ].join(' ');
}
