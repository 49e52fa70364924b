import { pollNotices } from '../../../../clouds/aws/notices/poll.ts';
import { nowMs } from '../notices.ts';
import { replayAll, toResponse } from './replay.ts';
import type { ReplayRow } from './replay.ts';

const spot = 'spot/instance-action';
const rebalance = 'events/recommendations/rebalance';
const scheduled = 'events/maintenance/scheduled';
const lifecycle = 'autoscaling/target-lifecycle-state';

const at = (seconds: number): Date => new Date(nowMs + seconds * 1_000);
const iso = (seconds: number): string => at(seconds).toISOString().replace('.000', '');
const spotAction = (action: string, seconds: number): string => JSON.stringify({ action, time: iso(seconds) });
const noticeOf = (seconds: number): string => JSON.stringify({ noticeTime: iso(seconds) });
/** `21 Jan 2019 09:00:43 GMT` */
const awsTime = (seconds: number): string => at(seconds).toUTCString().slice(5);
const event = (Code: string, seconds: number, changes: object = {}): object => ({
  NotBefore: awsTime(seconds),
  Code,
  Description: 'scheduled',
  EventId: 'instance-event-1',
  NotAfter: awsTime(seconds + 7_200),
  State: 'active',
  ...changes,
});
const list = (...events: readonly object[]): string => JSON.stringify(events);

/** The list of events is read every 10 s, the spot action and the lifecycle state every 2 s. */
const rows: Readonly<Record<string, ReplayRow>> = {
  'nothing is announced': { script: {}, expected: [] },
  'a spot termination': {
    script: { 1: { [spot]: spotAction('terminate', 121) } },
    expected: ['2 ends:NoSchedule cordon', '2 evict web 30', '81 delete shut 30'],
  },
  'a spot stop that is withdrawn': {
    script: { 1: { [spot]: spotAction('stop', 121) }, 41: { [spot]: undefined } },
    expected: ['2 ends:NoSchedule cordon', '2 evict web 30', '42 no marks'],
  },
  'a hibernation has no time left; two minutes are tried': {
    script: { 1: { [spot]: spotAction('hibernate', 1) } },
    expected: ['2 ends:NoSchedule cordon', '2 evict web 30', '82 delete shut 30'],
  },
  'a clock that is 20 minutes late: the two minutes of a spot notice count': {
    script: { 1: { [spot]: spotAction('terminate', 1_321) } },
    expected: ['2 ends:NoSchedule cordon', '2 evict web 30', '82 delete shut 30'],
  },
  'a rebalance recommendation is advice for an hour': {
    script: { 1: { [rebalance]: noticeOf(0) } },
    expected: ['10 may-end:PreferNoSchedule', '3610 no marks'],
    forSeconds: 4_000,
  },
  'one before a spot termination, and with it': {
    script: { 1: { [rebalance]: noticeOf(0) }, 31: { [spot]: spotAction('terminate', 151) } },
    expected: ['10 may-end:PreferNoSchedule', '32 ends:NoSchedule cordon', '32 evict web 30', '111 delete shut 30'],
  },
  'a spot termination is withdrawn, the recommendation stays': {
    script: {
      1: { [rebalance]: noticeOf(0), [spot]: spotAction('terminate', 121) },
      41: { [spot]: undefined },
      91: { [rebalance]: undefined },
    },
    expected: [
      '2 ends:NoSchedule cordon',
      '2 evict web 30',
      '42 may-end:PreferNoSchedule',
      // The next look at the recommendation.
      '100 no marks',
    ],
  },
  'a reboot of the system in 20 minutes': {
    script: { 1: { [scheduled]: list(event('system-reboot', 1_200)) } },
    expected: [
      '10 restarts:PreferNoSchedule',
      '600 restarts:NoSchedule cordon',
      '600 evict web 30',
      '1160 delete shut 30',
    ],
    forSeconds: 1_300,
  },
  'it is canceled during the drain': {
    script: {
      1: { [scheduled]: list(event('system-reboot', 300)) },
      51: { [scheduled]: list(event('system-reboot', 300, { State: 'canceled' })) },
    },
    expected: ['10 restarts:NoSchedule cordon', '10 evict web 30', '60 no marks'],
    forSeconds: 400,
  },
  'it is completed': {
    script: {
      1: { [scheduled]: list(event('instance-reboot', 120)) },
      151: { [scheduled]: list(event('instance-reboot', 120, { State: 'completed' })) },
    },
    expected: ['10 restarts:NoSchedule cordon', '10 evict web 30', '80 delete shut 30', '160 no marks'],
    forSeconds: 200,
  },
  'it vanishes': {
    script: { 1: { [scheduled]: list(event('instance-reboot', 120)) }, 51: { [scheduled]: '[]' } },
    expected: ['10 restarts:NoSchedule cordon', '10 evict web 30', '60 no marks'],
  },
  'it is put off': {
    script: {
      1: { [scheduled]: list(event('instance-stop', 120)) },
      51: { [scheduled]: list(event('instance-stop', 3_600)) },
    },
    expected: ['10 ends:NoSchedule cordon', '10 evict web 30', '60 ends:PreferNoSchedule'],
  },
  'it comes earlier': {
    script: {
      1: { [scheduled]: list(event('instance-stop', 3_600)) },
      51: { [scheduled]: list(event('instance-stop', 120)) },
    },
    expected: ['10 ends:PreferNoSchedule', '60 ends:NoSchedule cordon', '60 evict web 30', '85 delete shut 25'],
  },
  'a retirement in two minutes, and a stop that is over': {
    script: {
      1: {
        [scheduled]: list(
          event('instance-stop', 60, { EventId: 'instance-event-0', State: 'completed' }),
          event('instance-retirement', 130),
        ),
      },
    },
    expected: ['10 ends:NoSchedule cordon', '10 evict web 30', '90 delete shut 30'],
  },
  'maintenance is a pause, and evicts nobody': {
    script: { 1: { [scheduled]: list(event('system-maintenance', 60)) } },
    expected: [],
  },
  'a group terminates the instance: two minutes from then': {
    script: { 0: { [lifecycle]: 'InService' }, 11: { [lifecycle]: 'Terminated' } },
    expected: ['12 ends:NoSchedule cordon', '12 evict web 30', '92 delete shut 30'],
  },
  'and takes it back into service': {
    script: { 1: { [lifecycle]: 'Terminated' }, 51: { [lifecycle]: 'InService' } },
    expected: ['2 ends:NoSchedule cordon', '2 evict web 30', '52 no marks'],
  },
  'a group puts it back into the warm pool': {
    script: { 1: { [lifecycle]: 'Warmed:Stopped' }, 51: { [lifecycle]: 'Warmed:Running' } },
    expected: ['2 ends:NoSchedule cordon', '2 evict web 30', '52 no marks'],
  },
  'answers that are none withdraw nothing': {
    script: {
      1: { [spot]: spotAction('terminate', 121), [lifecycle]: 'Terminated' },
      11: { [spot]: '<html>', [lifecycle]: '<html>' },
      21: { [spot]: '{"action":', [lifecycle]: { status: 500, text: '' } },
      31: { [spot]: { status: 429, text: '' }, [lifecycle]: { status: 403, text: '' } },
    },
    expected: ['2 ends:NoSchedule cordon', '2 evict web 30', '81 delete shut 30'],
  },
  'a page instead of the lifecycle state withdraws nothing': {
    script: { 1: { [lifecycle]: 'Terminated' }, 21: { [lifecycle]: '<html>' } },
    expected: ['2 ends:NoSchedule cordon', '2 evict web 30', '82 delete shut 30'],
  },
  'a service that is away for two minutes has the notice when it is back': {
    script: {
      1: { token: { status: 503, text: '' }, [spot]: { status: 503, text: '' } },
      121: { token: undefined, [spot]: spotAction('terminate', 241) },
    },
    expected: ['122 ends:NoSchedule cordon', '122 evict web 30', '201 delete shut 30'],
    forSeconds: 250,
  },
};

await replayAll(
  {
    poll: (cursor, context) => pollNotices(cursor, { env: {} }, context),
    serve:
      (answers) =>
      ({ url, method }) => {
        if (method === 'PUT') return Promise.resolve(toResponse(answers.get('token') ?? 'session'));
        return Promise.resolve(toResponse(answers.get(url.pathname.replace('/latest/meta-data/', ''))));
      },
  },
  rows,
);
