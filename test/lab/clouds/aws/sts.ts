import type { LabResponse, LabRequest, Moment, LabService } from '../cloud.ts';
import { requestedRegion } from './requested-region.ts';
import { partitionOf } from './hosts.ts';
import { accountOf, arnOf, assumedRoleArn, principalArnOf, startSession, userIdOf } from './principals.ts';
import type { XmlTree } from './query-protocol.ts';
import { queryResponse, queryErrorResponse } from './query-protocol.ts';
import type { Refusal } from './refusal.ts';
import { isRefusal, refuse } from './refusal.ts';
import type { Signer } from './signature.ts';
import { checkSignature } from './signature.ts';
import type { AwsState, Role } from './state.ts';
import { getWebIdentityToken } from './web-identity-token.ts';
import { checkWebIdentity } from './web-identity.ts';

export const sts: LabService<AwsState> = {
  throttled: queryErrorResponse(refuse('throttled', 'Rate exceeded')),
  respond: async (request, state, moment) => {
    const requested = requestedRegion(request, 'sts');
    if ('status' in requested) return requested;
    const input = Object.fromEntries(new URLSearchParams(request.body));
    const call = { request, input, state, moment, region: requested.region };
    return runOperation(input['Action'] ?? '', call);
  },
};

interface StsCall {
  readonly request: LabRequest;
  readonly input: Readonly<Record<string, string>>;
  readonly state: AwsState;
  readonly moment: Moment;
  /** Of the host. */
  readonly region: string | undefined;
}

async function runOperation(action: string, call: StsCall): Promise<LabResponse> {
  const operation = call.input['Version'] === '2011-06-15' ? operations[action] : undefined;
  const unknown = `Could not find operation ${action} for version ${String(call.input['Version'])}`;
  const result = operation ? await operation(call) : refuse('unknown-operation', unknown);
  return isRefusal(result) ? queryErrorResponse(result) : queryResponse(action, result);
}

type Operation = (call: StsCall) => XmlTree | Refusal | Promise<XmlTree | Refusal>;

const operations: Readonly<Record<string, Operation>> = {
  AssumeRole: signed(assumeRole),
  AssumeRoleWithWebIdentity: assumeRoleWithWebIdentity,
  GetCallerIdentity: signed(getCallerIdentity),
  GetWebIdentityToken: signed(({ input, state, moment, request }, { key }) =>
    getWebIdentityToken({ input, state, nowMs: moment.nowMs, host: request.host }, key),
  ),
};

function signed(operation: (call: StsCall, signer: Signer) => XmlTree | Refusal): Operation {
  return async (call) => {
    const expected = { service: 'sts', region: call.region, nowMs: call.moment.nowMs };
    const signer = await checkSignature(call.request, call.state, expected);
    return isRefusal(signer) ? signer : operation(call, signer);
  };
}

function getCallerIdentity({ state }: StsCall, { key }: Signer): XmlTree {
  return { Arn: arnOf(state, key), UserId: userIdOf(state, key), Account: accountOf(state, key) };
}

function assumeRole(call: StsCall, { key }: Signer): XmlTree | Refusal {
  const { input, state } = call;
  const target = roleIn(call, key.partition);
  const trusted = target?.role.trustedArns.includes(principalArnOf(state, key));
  if (!target || trusted !== true) {
    const who = `User: ${arnOf(state, key)}`;
    return refuse(
      'denied',
      `${who} is not authorized to perform: sts:AssumeRole on resource: ${input['RoleArn'] ?? ''}`,
    );
  }
  return session(call, target);
}

function assumeRoleWithWebIdentity(call: StsCall): XmlTree | Refusal {
  const { input, state, moment } = call;
  const partition = partitionOf(call.region ?? state.instance.region).name;
  const identity = checkWebIdentity(input['WebIdentityToken'] ?? '', state.issuers, moment.nowMs);
  if (isRefusal(identity)) return identity;
  const target = roleIn(call, partition);
  const trusted = target?.role.webIdentities.some(
    ({ issuer, subjects }) => issuer === identity.issuer && subjects.includes(identity.subject),
  );
  if (!target || trusted !== true) {
    return refuse('denied', 'Not authorized to perform sts:AssumeRoleWithWebIdentity');
  }
  const granted = session(call, target);
  if (isRefusal(granted)) return granted;
  return {
    Audience: identity.audience,
    ...granted,
    Provider: `arn:${partition}:iam::${state.accountId}:oidc-provider/${identity.issuer.replace('https://', '')}`,
    SubjectFromWebIdentityToken: identity.subject,
  };
}

interface TargetRole {
  readonly roleName: string;
  readonly role: Role;
  readonly partition: string;
}

function roleIn({ input, state }: StsCall, partition: string): TargetRole | undefined {
  const arn = input['RoleArn'] ?? '';
  const roleName = arn.split(':role/')[1] ?? '';
  const role = state.roles[roleName];
  const known = role && `arn:${partition}:iam::${role.accountId ?? state.accountId}:role/${roleName}`;
  return role && known === arn ? { roleName, role, partition } : undefined;
}

const defaultDurationS = 3600;
const shortestDurationS = 900;
const longestDurationS = 12 * 3600;
const sessionPassedMs = 60 * 1000;

function session({ input, state, moment }: StsCall, target: TargetRole): XmlTree | Refusal {
  const sessionName = input['RoleSessionName'] ?? '';
  const durationS = Number(input['DurationSeconds'] ?? defaultDurationS);
  if (!/^[\w+=,.@-]{2,64}$/.test(sessionName)) return invalid('roleSessionName', '[\\w+=,.@-]*, length 2 to 64');
  if (!(durationS >= shortestDurationS && durationS <= longestDurationS)) {
    return invalid('durationSeconds', '900 to 43200');
  }
  const { roleName, role, partition } = target;
  const issuedAtMs = moment.nowMs;
  const expiresAtMs = issuedAtMs + (moment.expiry === 'passed' ? -sessionPassedMs : durationS * 1000);
  const key = startSession(state, { roleName, sessionName, partition, issuedAtMs, expiresAtMs });
  const expiration = new Date(expiresAtMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return {
    AssumedRoleUser: {
      AssumedRoleId: `${role.id}:${sessionName}`,
      Arn: assumedRoleArn(state, partition, roleName, sessionName),
    },
    Credentials: {
      AccessKeyId: key.accessKeyId,
      SecretAccessKey: key.secretAccessKey,
      SessionToken: key.sessionToken,
      Expiration: moment.expiry === 'absent' ? undefined : expiration,
    },
  };
}

function invalid(field: string, constraint: string): Refusal {
  const detail = `Value at '${field}' failed to satisfy constraint: ${constraint}`;
  return refuse('invalid-parameter', `1 validation error detected: ${detail}`);
}
