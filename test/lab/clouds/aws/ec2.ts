import type { LabResponse, LabRequest, Moment, LabService } from '../cloud.ts';
import { describeInstances } from './ec2-describe.ts';
import type { Ec2Context } from './ec2-describe.ts';
import { ec2Response, ec2ErrorResponse, toEc2Error } from './ec2-protocol.ts';
import type { Ec2Error } from './ec2-protocol.ts';
import { createRoute, deleteRoute, describeRouteTables, modifyInstanceAttribute, replaceRoute } from './ec2-routes.ts';
import { describeTopology } from './ec2-topology.ts';
import { describeZones } from './ec2-zones.ts';
import { requestedRegion } from './requested-region.ts';
import { accountOf, arnOf, isAllowed } from './principals.ts';
import type { XmlTree } from './query-protocol.ts';
import { deny, isRefusal, refuse } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { checkSignature } from './signature.ts';
import type { Signer } from './signature.ts';
import type { AwsState } from './state.ts';

const version = '2016-11-15';

type Operation = (input: Readonly<Record<string, string>>, view: Ec2Context) => { readonly tree: XmlTree } | Ec2Error;

const operations: Readonly<Record<string, Operation>> = {
  DescribeAvailabilityZones: describeZones,
  DescribeInstanceTopology: describeTopology,
  DescribeInstances: describeInstances,
  DescribeRouteTables: describeRouteTables,
  CreateRoute: createRoute,
  ReplaceRoute: replaceRoute,
  DeleteRoute: deleteRoute,
  ModifyInstanceAttribute: modifyInstanceAttribute,
};

/** Of EC2 what controllers of nodes ask: the instances of the caller's account in a region, and its route tables. */
export const ec2: LabService<AwsState> = {
  throttled: ec2ErrorResponse(toEc2Error(refuse('throttled', ''))),
  respond: async (request, state, moment) => {
    const requested = requestedRegion(request, 'ec2');
    if ('status' in requested) return requested;
    const expected = { service: 'ec2', region: requested.region, nowMs: moment.nowMs };
    const signer = await checkSignature(request, state, expected);
    if (isRefusal(signer)) return ec2ErrorResponse(toEc2Error(withDateCode(signer)));
    const refusal = refusalFor(request, state, signer);
    return refusal ? ec2ErrorResponse(toEc2Error(refusal)) : runOperation(request, { state, moment, signer });
  },
};

/** EC2 calls a date that is off what it calls a session that is over. */
function withDateCode(refusal: Refusal): Refusal {
  const isDate = refusal.refused === 'wrong-signature' && /^Signature (?:expired|not yet)/.test(refusal.message);
  return isDate ? refuse('expired-key', '') : refusal;
}

function refusalFor({ body }: LabRequest, state: AwsState, { key }: Signer): Refusal | undefined {
  const input = new URLSearchParams(body);
  const action = input.get('Action') ?? '';
  if (!Object.hasOwn(operations, action) || input.get('Version') !== version) {
    return refuse('unknown-operation', `The action ${action} is not valid for this web service.`);
  }
  if (isAllowed(state, key, `ec2:${action}`)) return undefined;
  const { message } = deny(arnOf(state, key), `ec2:${action}`);
  const reason = message.replace(' on resource: *', '');
  return refuse('denied', `You are not authorized to perform this operation. ${reason}`);
}

interface Ec2Call {
  readonly state: AwsState;
  readonly moment: Moment;
  readonly signer: Signer;
}

function runOperation({ body }: LabRequest, { state, moment, signer }: Ec2Call): LabResponse {
  const input = Object.fromEntries(new URLSearchParams(body));
  const context = { state, accountId: accountOf(state, signer.key), region: signer.region, nowMs: moment.nowMs };
  const action = input['Action'] ?? '';
  const result = operations[action]?.(input, context);
  if (result === undefined) throw new Error(`${action} was let in`);
  return 'code' in result ? ec2ErrorResponse(result) : ec2Response(action, result.tree);
}
