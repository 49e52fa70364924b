import type { Test } from 'tap';
import { createCloudNetwork } from '../../../lab/cloud-network.ts';
import { metadataMachineOf } from '../../../lab/clouds/azure/metadata-machine.ts';
import { setScheduledEvents } from '../../../lab/clouds/azure/scheduled-events.ts';

import { azureSite } from '../../../lab/clouds/azure/site.ts';
import type { ScheduledEvent } from '../../../lab/clouds/azure/state.ts';
import { virtualMachines } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../../lab/clouds/azure/virtual-machine.ts';
import { gcpSite } from '../../../lab/clouds/gcp/site.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';
import { setInstance, startMachineEnvironment } from './environment.ts';
import { connectMachine } from './machine-environment.ts';
import type { MachineEnvironment } from './machine-environment.ts';

/** One machine of a cloud, and how its metadata service announces something. Each call replaces what was announced. */
export interface NoticeCloud {
  /** And the name of its Node. */
  readonly cloud: string;
  start(t: Test, plane: SharedControlPlane): Promise<NoticeMachine>;
  /** What is announced before the agent starts, and stays: as the Node is marked, and as the condition has it. */
  readonly early: { readonly marks: string; readonly reason: string; readonly message: RegExp };
  /** The instance ends in 30 s. */
  readonly ending: { readonly marks: string; readonly message: RegExp };
  /** Something that names other machines as well, or has no time. */
  readonly further: { readonly marks: string; readonly message: RegExp };
}

export interface NoticeMachine {
  readonly machine: MachineEnvironment;
  readonly lab: Pick<LabCloud<object>, 'requests'>;
  announce(what: Announcement): Promise<void>;
}

export type Announcement = 'nothing' | 'early' | 'early and ending' | 'early and further';

const endsInMs = 30_000;

export const noticeClouds: readonly NoticeCloud[] = [
  {
    cloud: 'aws',
    start: startAws,
    early: { marks: 'may-end:PreferNoSchedule', reason: 'InstanceMayEnd', message: /EC2 rebalance recommendation of/ },
    ending: { marks: 'ends:NoSchedule cordon', message: /spot interruption: terminate at .*EC2 rebalance/ },
    further: { marks: 'ends:NoSchedule cordon', message: /Auto Scaling target lifecycle state Terminated/ },
  },
  {
    cloud: 'azure',
    start: startAzure,
    early: { marks: '', reason: 'InstancePauses', message: /\(Freeze by Platform not before .* for 5 s: .*\)$/ },
    ending: { marks: 'ends:NoSchedule cordon', message: /\(Preempt by Platform .*Freeze by Platform/ },
    further: { marks: 'restarts:NoSchedule cordon', message: /\(Redeploy by User .*Freeze by Platform/ },
  },
  {
    cloud: 'gcp',
    start: startGoogle,
    early: { marks: '', reason: 'InstancePauses', message: /SCHEDULED maintenance from/ },
    ending: { marks: 'ends:NoSchedule cordon', message: /\(preempted\).*SCHEDULED maintenance from/ },
    further: { marks: 'ends:NoSchedule cordon', message: /TERMINATE_ON_HOST_MAINTENANCE/ },
  },
];

async function startAws(t: Test, plane: SharedControlPlane): Promise<NoticeMachine> {
  const machine = await startMachineEnvironment(t, plane);
  const { aws } = machine;
  await setInstance(machine, {});
  const noticeTime = isoTime(0);
  return {
    machine,
    lab: aws,
    announce: (what) =>
      aws.update({
        metadata: {
          'meta-data/events/recommendations/rebalance': what === 'nothing' ? null : JSON.stringify({ noticeTime }),
          'meta-data/spot/instance-action':
            what === 'early and ending' ? JSON.stringify({ action: 'terminate', time: isoTime(endsInMs) }) : null,
          'meta-data/autoscaling/target-lifecycle-state': what === 'early and further' ? 'Terminated' : 'InService',
        },
      }),
  };
}

async function startAzure(t: Test, plane: SharedControlPlane): Promise<NoticeMachine> {
  const [own] = virtualMachines({ count: 1, number: 1, scaleSet: 'Pool' }) as readonly [LabVirtualMachine];
  const sites = [azureSite([], [])];
  const { clouds, ...network } = await createCloudNetwork({ sites, machineOf: 'azure', ipVersions: [4] });
  const machine = await connectMachine(t, plane, network);
  await clouds.azure.update({ machine: metadataMachineOf(own) });
  const freezeAt = httpTime(15 * 60_000);
  return {
    machine,
    lab: clouds.azure,
    announce: (what) => setScheduledEvents(clouds.azure, azureEvents(what, freezeAt)),
  };
}

/** All machines of the scale set get these. */
function azureEvents(what: Announcement, freezeAt: string): readonly ScheduledEvent[] {
  if (what === 'nothing') return [];
  const early = [
    azureEvent('freeze', { NotBefore: freezeAt, Resources: ['Pool_0', 'Pool_1'], DurationInSeconds: 5 }),
    azureEvent('of-another', { EventType: 'Terminate', Resources: ['Pool_1'] }),
  ];
  if (what === 'early') return early;
  const further =
    what === 'early and ending'
      ? azureEvent('preempt', { EventType: 'Preempt', NotBefore: httpTime(endsInMs) })
      : azureEvent('redeploy', { EventType: 'Redeploy', EventSource: 'User', Resources: ['Pool_0', 'Pool_1'] });
  return [...early, further];
}

function azureEvent(id: string, changed: Partial<ScheduledEvent>): ScheduledEvent {
  return {
    EventId: id,
    EventType: 'Freeze',
    ResourceType: 'VirtualMachine',
    Resources: ['Pool_0'],
    EventStatus: 'Scheduled',
    NotBefore: httpTime(9 * 60_000),
    Description: 'Host server is undergoing maintenance.',
    EventSource: 'Platform',
    DurationInSeconds: -1,
    ...changed,
  };
}

async function startGoogle(t: Test, plane: SharedControlPlane): Promise<NoticeMachine> {
  const sites = [gcpSite('googleapis.com')];
  const { clouds, ...network } = await createCloudNetwork({ sites, machineOf: 'gcp', ipVersions: [4] });
  const machine = await connectMachine(t, plane, network);
  const upcoming = {
    can_reschedule: false,
    maintenance_status: 'PENDING',
    type: 'SCHEDULED',
    window_start_time: isoTime(2 * 24 * 60 * 60_000),
  };
  return {
    machine,
    lab: clouds.gcp,
    announce: (what) =>
      clouds.gcp.update({
        metadata: {
          'instance/upcoming-maintenance': what === 'nothing' ? '{ }' : JSON.stringify(upcoming),
          'instance/preempted': what === 'early and ending' ? 'TRUE' : 'FALSE',
          'instance/maintenance-event': what === 'early and further' ? 'TERMINATE_ON_HOST_MAINTENANCE' : 'NONE',
        },
      }),
  };
}

/** As AWS and Google write it, without milliseconds. */
function isoTime(inMs: number): string {
  return new Date(Date.now() + inMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

function httpTime(inMs: number): string {
  return new Date(Date.now() + inMs).toUTCString();
}
