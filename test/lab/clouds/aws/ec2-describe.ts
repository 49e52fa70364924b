import type { Ec2Instance } from './ec2-instance.ts';
import { matchesFilters, readFilters, valuesOf } from './ec2-filters.ts';
import type { Ec2Error } from './ec2-protocol.ts';
import { reservationOf } from './ec2-reservation.ts';
import type { XmlTree } from './query-protocol.ts';
import type { AwsState } from './state.ts';

/** Who looks, from where and when. */
export interface Ec2Context {
  readonly state: AwsState;
  readonly accountId: string;
  readonly region: string;
  readonly nowMs: number;
}

type Input = Readonly<Record<string, string>>;

export function describeInstances(input: Input, context: Ec2Context): { readonly tree: XmlTree } | Ec2Error {
  const page = readPage(input, context.state.ec2.pageMax);
  if ('code' in page) return page;
  if (context.state.ec2.answers === 'empty') return { tree: { reservationSet: [] } };
  const chosen = selectInstances(input, context);
  if ('code' in chosen) return chosen;
  const end = page.start + page.size;
  const nextToken = end < chosen.length ? tokenFor(end) : undefined;
  const shown = chosen.slice(page.start, end).map((instance) => reservationOf(instance));
  return { tree: { reservationSet: shown, nextToken } };
}

interface Page {
  readonly start: number;
  readonly size: number;
}

function readPage(input: Input, pageMax: number): Page | Ec2Error {
  const { MaxResults: size, NextToken: token } = input;
  if (size !== undefined && input['InstanceId.1'] !== undefined) {
    const message = 'The parameter instancesSet cannot be used with the parameter maxResults';
    return refusal('InvalidParameterCombination', message);
  }
  if (size !== undefined && !(Number(size) >= 5 && Number(size) <= 1000)) {
    return refusal(
      'InvalidParameterValue',
      `Value ( ${size} ) for parameter maxResults is invalid. Expecting 5 to 1000.`,
    );
  }
  const start = token === undefined ? 0 : startOf(token);
  if (start === undefined) return refusal('InvalidParameterValue', 'Unable to parse pagination token');
  return { start, size: Math.min(Number(size ?? pageMax), pageMax) };
}

function tokenFor(start: number): string {
  return Buffer.from(`after ${start}`).toString('base64');
}

function startOf(token: string): number | undefined {
  const start = /^after (\d{1,9})$/.exec(Buffer.from(token, 'base64').toString())?.[1];
  return start === undefined ? undefined : Number(start);
}

/** The requested instances, by ids and filters. An unknown id is a refusal of the whole request. */
export function selectInstances(input: Input, context: Ec2Context): readonly Ec2Instance[] | Ec2Error {
  const { ec2, ec2Instances } = context.state;
  const filters = readFilters(input);
  if ('code' in filters) return filters;
  const ids = valuesOf(input, 'InstanceId');
  const refused = refuseIds(ids, context);
  if (refused) return refused;
  const candidates = ids.length > 0 ? ids.map((id) => ec2Instances[id]) : Object.values(ec2Instances);
  const chosen = candidates.filter(
    (instance): instance is Ec2Instance =>
      instance !== undefined && isOwn(instance, context) && matchesFilters(instance, filters),
  );
  if (chosen.some(({ zone }) => ec2.brokenZones.includes(zone))) {
    return { status: 500, code: 'InternalError', message: 'An internal error has occurred' };
  }
  return chosen.filter(({ instanceId }) => !ec2.leftOut.includes(instanceId));
}

const idForm = /^i-(?:[0-9a-f]{8}|[0-9a-f]{17})$/;

/** One malformed or unknown id makes the whole request fail. */
function refuseIds(ids: readonly string[], context: Ec2Context): Ec2Error | undefined {
  const { namedMax } = context.state.ec2;
  const malformed = ids.find((id) => !idForm.test(id));
  if (malformed !== undefined) return refusal('InvalidInstanceID.Malformed', `Invalid id: "${malformed}"`);
  const unknown = ids.filter((id) => !isKnown(context.state.ec2Instances[id], context)).slice(0, namedMax);
  if (unknown.length === 0) return undefined;
  const which = unknown.length === 1 ? `ID '${String(unknown[0])}' does` : `IDs '${unknown.join(', ')}' do`;
  return refusal('InvalidInstanceID.NotFound', `The instance ${which} not exist`);
}

function isKnown(instance: Ec2Instance | undefined, context: Ec2Context): boolean {
  if (instance === undefined || !isVisible(instance, context)) return false;
  return instance.accountId === context.accountId || context.state.ec2.foreign === 'left-out';
}

function isOwn(instance: Ec2Instance, context: Ec2Context): boolean {
  return instance.accountId === context.accountId && isVisible(instance, context);
}

function isVisible({ region, launchedAtMs, terminatedAtMs }: Ec2Instance, context: Ec2Context): boolean {
  const { invisibleForMs, terminatedForMs } = context.state.ec2;
  const isOver = terminatedAtMs !== undefined && context.nowMs >= terminatedAtMs + terminatedForMs;
  return region === context.region && context.nowMs >= launchedAtMs + invisibleForMs && !isOver;
}

function refusal(code: string, message: string): Ec2Error {
  return { status: 400, code, message };
}
