import t from 'tap';
import { createCheckList } from '../../../credential-provider/doctor/check-list.ts';
import { reportText } from '../../../credential-provider/doctor/report.ts';
import type { DoctorReport } from '../../../credential-provider/doctor/report.ts';
import { Failure } from '../../../lib/failure.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';

await t.test('a check has the time since the previous one, and a step the time until the next', async (t) => {
  const clock = createFakeClock(0);
  const checkList = createCheckList(clock, (text) => text);
  await clock.advance(3);
  checkList.add({ about: 'kubelet', code: 'kubelet-entry', outcome: 'ok', said: 'found' });
  checkList.startStep('a token from there');
  await clock.advance(20);
  checkList.startStep('the server is busy; again in 200 ms');
  await clock.advance(250);
  checkList.startStep('a login from elsewhere');
  await clock.advance(7.04);
  checkList.add({ about: 'login', code: 'login', outcome: 'ok', said: 'done' });
  t.strictSame(
    checkList.checks().map(({ about, outcome, said, tookMs }) => [about, outcome, said, tookMs]),
    [
      ['kubelet', 'ok', 'found', 3],
      ['retry', 'warning', 'the server is busy; again in 200 ms', 20],
      ['step', 'ok', 'a token from there', 250],
      ['step', 'ok', 'a login from elsewhere', 7],
      ['login', 'ok', 'done', 0],
    ],
  );
});

await t.test('a failure belongs to the current step, and an internal error shows no detail', (t) => {
  const checkList = createCheckList(createFakeClock(0), (text) => text.replaceAll('hidden', '***'));
  checkList.startStep('a hidden token');
  checkList.fail(new Failure('denied', 'it was denied', { remedy: 'allow it' }));
  checkList.fail(new TypeError('hidden in a message'));
  t.match(checkList.checks(), [
    { about: 'step', code: 'denied', outcome: 'failed', said: 'a *** token: it was denied', remedy: 'allow it' },
    {
      about: 'answer',
      code: 'internal-error',
      outcome: 'failed',
      said: 'internal error (TypeError)',
      remedy: /report it/,
    },
  ]);
  t.notMatch(JSON.stringify(checkList.checks()), 'hidden');
  t.end();
});

await t.test('for people: in columns, with hints below, and the result last', (t) => {
  const report = {
    image: 'registry.example/app',
    ok: false,
    result: 'no-login' as const,
    checks: [
      { about: 'kubelet', code: 'no-kubelet', outcome: 'unknown', said: 'none', tookMs: 0.4 },
      { about: 'node', code: 'node', outcome: 'warning', said: 'late', tookMs: 12.6 },
      {
        about: 'configuration',
        code: 'misconfigured',
        outcome: 'failed',
        said: 'bad',
        tookMs: 1_234.5,
        remedy: 'correct it',
      },
    ],
  } satisfies DoctorReport;
  t.equal(
    reportText(report),
    [
      '?      kubelet         0.4 ms  none',
      '!      node             13 ms  late',
      'FAILED configuration  1235 ms  bad',
      '                               hint: correct it',
      'registry.example/app: the kubelet gets no login for it',
      '',
    ].join('\n'),
  );
  const painted = reportText(report, (colour, word) => `<${colour} ${word}>`);
  t.match(painted, /^<yellow \?\s+> kubelet .*\n<yellow !\s+> node .*\n<red FAILED> configuration /);
  t.match(painted, /: <red the kubelet gets no login for it>\n$/);
  t.end();
});
