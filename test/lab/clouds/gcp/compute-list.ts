import type { compute_v1 } from '@googleapis/compute';
import type { LabResponse } from '../cloud.ts';
import { computeError, json } from './errors.ts';
import { instanceDocument } from './compute-documents.ts';
import { keyOf } from './compute-instance.ts';
import type { ComputeBehaviour, ComputeInstance } from './compute-instance.ts';
import type { GcpState } from './state.ts';

/**
 * By zones, in pages that go across them.
 * https://cloud.google.com/compute/docs/reference/rest/v1/instances/aggregatedList
 */
export function aggregatedList(project: string, query: URLSearchParams, state: GcpState): LabResponse {
  const { compute } = state;
  const size = Number(query.get('maxResults') ?? '500');
  if (!(size >= 0 && size <= 500)) return invalid(`Invalid value for field 'maxResults': '${String(size)}'.`);
  const start = startOf(query.get('pageToken'));
  if (start === undefined) return invalid("Invalid value for field 'pageToken'.");
  if (compute.unreachableZones.length > 0 && query.get('returnPartialSuccess') !== 'true') return backendError;
  const instances = Object.values(state.computeInstances).filter((each) => isListed(each, project, compute));
  const end = start + Math.min(size, compute.pageMax);
  const page = instances.slice(start, end);
  const next = compute.endless ? start : end;
  const list: compute_v1.Schema$InstanceAggregatedList = {
    kind: 'compute#instanceAggregatedList',
    id: `projects/${project}/aggregated/instances`,
    items: Object.fromEntries(compute.zones.map((zone) => [`zones/${zone}`, scopedList(zone, page, compute)])),
    ...((compute.endless || end < instances.length) && { nextPageToken: tokenFor(next) }),
    selfLink: `https://www.googleapis.com/compute/v1/projects/${project}/aggregated/instances`,
    ...partialSuccess(project, compute),
  };
  return json(200, list);
}

function isListed(instance: ComputeInstance, project: string, compute: ComputeBehaviour): boolean {
  const isReachable = !compute.unreachableZones.includes(instance.zone);
  return instance.project === project && isReachable && !compute.leftOutOfLists.includes(keyOf(instance));
}

/** https://cloud.google.com/compute/docs/reference/rest/v1/instances/aggregatedList#InstancesScopedList */
function scopedList(
  zone: string,
  page: readonly ComputeInstance[],
  compute: ComputeBehaviour,
): compute_v1.Schema$InstancesScopedList {
  const own = page.filter((instance) => instance.zone === zone);
  if (own.length > 0) return { instances: own.map(instanceDocument) };
  const isUnreachable = compute.unreachableZones.includes(zone) && compute.partialBy === 'warning-of-zone';
  const data = [{ key: 'scope', value: `zones/${zone}` }];
  return isUnreachable
    ? { warning: { code: 'UNREACHABLE', message: `The zone '${zone}' is unreachable.`, data } }
    : {
        warning: {
          code: 'NO_RESULTS_ON_PAGE',
          message: `There are no results for scope 'zones/${zone}' on this page.`,
          data,
        },
      };
}

function partialSuccess(
  project: string,
  { unreachableZones, partialBy }: ComputeBehaviour,
): compute_v1.Schema$InstanceAggregatedList {
  if (unreachableZones.length === 0 || partialBy === 'warning-of-zone') return {};
  const warning = { code: 'PARTIAL_SUCCESS', message: 'Some resources could not be read.' };
  if (partialBy === 'warning-of-list') return { warning };
  return { unreachables: unreachableZones.map((zone) => `projects/${project}/zones/${zone}`) };
}

function tokenFor(start: number): string {
  return Buffer.from(`after ${String(start)}`).toString('base64url');
}

function startOf(token: string | null): number | undefined {
  if (token === null) return 0;
  const start = /^after (\d{1,9})$/.exec(Buffer.from(token, 'base64url').toString())?.[1];
  return start === undefined ? undefined : Number(start);
}

function invalid(message: string): LabResponse {
  return computeError(400, { reason: 'invalid' }, message);
}

export const backendError = computeError(503, { reason: 'backendError', status: 'UNAVAILABLE' }, 'Backend Error');
