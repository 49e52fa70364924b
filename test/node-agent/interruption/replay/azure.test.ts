import { pollNotices } from '../../../../clouds/azure/notices/poll.ts';
import { nowMs } from '../notices.ts';
import { replayAll, toResponse } from './replay.ts';
import type { ReplayRow, Script } from './replay.ts';

const own = 'pool_3';
const path = '/metadata/scheduledevents';

const azureTime = (seconds: number): string => new Date(nowMs + seconds * 1_000).toUTCString();
const event = (EventType: string, seconds: number | undefined, changes: object = {}): object => ({
  EventId: 'e-1',
  EventType,
  ResourceType: 'VirtualMachine',
  Resources: [own],
  EventStatus: 'Scheduled',
  NotBefore: seconds === undefined ? '' : azureTime(seconds),
  Description: 'Host maintenance',
  EventSource: 'Platform',
  DurationInSeconds: -1,
  ...changes,
});
const started = { EventStatus: 'Started', NotBefore: '' };
const documentOf = (DocumentIncarnation: number, ...Events: readonly object[]): string =>
  JSON.stringify({ DocumentIncarnation, Events });
/** By the second from which it is the answer. */
const answers = (documents: Readonly<Record<number, string | { status: number; text: string }>>): Script =>
  Object.fromEntries(Object.entries(documents).map(([second, text]) => [second, { [path]: text }]));

/** The events are read every second. */
const rows: Readonly<Record<string, ReplayRow>> = {
  'nothing is announced': { script: {}, expected: [] },
  'a preemption in 30 s: what is left is shared': {
    script: answers({ 1: documentOf(2, event('Preempt', 31)) }),
    expected: ['2 ends:NoSchedule cordon', '2 evict web 19', '12 delete shut 9', '21 approve e-1'],
  },
  'a termination in five minutes': {
    script: answers({ 1: documentOf(2, event('Terminate', 301)) }),
    expected: ['2 ends:NoSchedule cordon', '2 evict web 30', '261 delete shut 30', '291 approve e-1'],
    forSeconds: 300,
  },
  'a reboot in 15 minutes is advice for five': {
    script: answers({ 1: documentOf(2, event('Reboot', 901)) }),
    expected: [
      '2 restarts:PreferNoSchedule',
      '301 restarts:NoSchedule cordon',
      '301 evict web 30',
      '861 delete shut 30',
      '891 approve e-1',
    ],
    forSeconds: 900,
  },
  'a redeployment in two minutes': {
    script: answers({ 1: documentOf(2, event('Redeploy', 121)) }),
    expected: ['2 restarts:NoSchedule cordon', '2 evict web 30', '81 delete shut 30', '111 approve e-1'],
  },
  'a freeze evicts nobody, also when it has started': {
    script: answers({ 1: documentOf(2, event('Freeze', 901)), 31: documentOf(3, event('Freeze', 0, started)) }),
    expected: [],
  },
  'an event that has started when it is seen first: two minutes, and no approval': {
    script: answers({ 1: documentOf(2, event('Reboot', 0, started)) }),
    expected: ['2 restarts:NoSchedule cordon', '2 evict web 30', '82 delete shut 30'],
  },
  'an event that starts earlier than announced': {
    script: answers({ 1: documentOf(2, event('Reboot', 901)), 101: documentOf(3, event('Reboot', 0, started)) }),
    expected: [
      '2 restarts:PreferNoSchedule',
      '102 restarts:NoSchedule cordon',
      '102 evict web 30',
      '182 delete shut 30',
    ],
    forSeconds: 260,
  },
  'an event that starts as announced, in the middle of a drain': {
    script: answers({ 1: documentOf(2, event('Reboot', 61)), 61: documentOf(3, event('Reboot', 0, started)) }),
    expected: ['2 restarts:NoSchedule cordon', '2 evict web 30', '27 delete shut 24', '51 approve e-1'],
  },
  'no time although it has not started': {
    script: answers({ 1: documentOf(2, event('Reboot', undefined)) }),
    expected: ['2 restarts:NoSchedule cordon', '2 evict web 30', '82 delete shut 30', '112 approve e-1'],
  },
  'events of other machines only': {
    script: answers({ 1: documentOf(2, event('Terminate', 301, { Resources: ['pool_30', 'pool_4'] })) }),
    expected: [],
  },
  'an event of several machines is not approved': {
    script: answers({ 1: documentOf(2, event('Redeploy', 121, { Resources: ['pool_4', 'POOL_3'] })) }),
    expected: ['2 restarts:NoSchedule cordon', '2 evict web 30', '81 delete shut 30'],
  },
  'an event that vanishes': {
    script: answers({ 1: documentOf(2, event('Reboot', 301)), 61: documentOf(3) }),
    expected: ['2 restarts:NoSchedule cordon', '2 evict web 30', '62 no marks'],
    forSeconds: 310,
  },
  'the machine is back after a reboot': {
    script: answers({ 1: documentOf(2, event('Reboot', 121)), 150: documentOf(4) }),
    expected: [
      '2 restarts:NoSchedule cordon',
      '2 evict web 30',
      '81 delete shut 30',
      '111 approve e-1',
      '151 no marks',
    ],
    forSeconds: 160,
  },
  'the count of documents stands still': {
    script: answers({ 1: documentOf(2, event('Reboot', 301)), 61: documentOf(2) }),
    expected: ['2 restarts:NoSchedule cordon', '2 evict web 30', '62 no marks'],
  },
  'the count of documents goes back: an older one withdraws nothing for 30 s': {
    script: answers({ 1: documentOf(2, event('Reboot', 301)), 41: documentOf(1) }),
    expected: ['2 restarts:NoSchedule cordon', '2 evict web 30', '72 no marks'],
  },
  'and nothing at all if it was only late': {
    script: answers({
      1: documentOf(2, event('Reboot', 121)),
      41: documentOf(1),
      61: documentOf(2, event('Reboot', 121)),
    }),
    expected: ['2 restarts:NoSchedule cordon', '2 evict web 30', '81 delete shut 30', '111 approve e-1'],
  },
  'two events: the earlier one counts, and each is approved': {
    script: answers({
      1: documentOf(2, event('Reboot', 301)),
      21: documentOf(3, event('Reboot', 301), event('Terminate', 121, { EventId: 'e-2' })),
    }),
    expected: [
      '2 restarts:NoSchedule cordon',
      '2 evict web 30',
      '22 ends:NoSchedule cordon',
      '81 delete shut 30',
      '111 approve e-2',
      '111 approve e-1',
    ],
  },
  'answers that are none withdraw nothing': {
    script: answers({
      1: documentOf(2, event('Terminate', 121)),
      11: '<html>',
      21: '{"DocumentIncarnation":3,"Events":[',
      31: { status: 429, text: '' },
      41: { status: 410, text: '' },
      51: '{"DocumentIncarnation":"x","Events":[{"EventId":5}]}',
    }),
    expected: ['2 ends:NoSchedule cordon', '2 evict web 30', '81 delete shut 30', '111 approve e-1'],
  },
  'a service that is away for two minutes has the event when it is back': {
    script: answers({ 1: { status: 503, text: '' }, 121: documentOf(2, event('Terminate', 421)) }),
    expected: ['122 ends:NoSchedule cordon', '122 evict web 30'],
    forSeconds: 200,
  },
};

await replayAll(
  {
    approves: true,
    poll: (cursor, context) => pollNotices(cursor, { env: {} }, context),
    serve:
      (current) =>
      ({ url }) =>
        Promise.resolve(
          url.pathname === '/metadata/instance'
            ? toResponse(JSON.stringify({ compute: { name: own } }))
            : toResponse(current.get(url.pathname) ?? documentOf(1)),
        ),
  },
  rows,
);
