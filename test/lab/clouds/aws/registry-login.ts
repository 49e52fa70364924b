import type { LabRequest, Moment, LabService } from '../cloud.ts';
import { markedSecret } from '../secrets.ts';
import { requestedRegion } from './requested-region.ts';
import { jsonResponse, jsonErrorResponse } from './json-protocol.ts';
import { arnOf, isAllowed } from './principals.ts';
import type { Refusal } from './refusal.ts';
import { deny, isRefusal, refuse } from './refusal.ts';
import type { Signer } from './signature.ts';
import { checkSignature } from './signature.ts';
import type { AwsState, RegistryLogin } from './state.ts';

/** What ECR and ECR Public have in common: one operation, `GetAuthorizationToken`. */
export interface RegistryApi {
  readonly service: RegistryLogin['service'];
  readonly target: string;
  /** What the caller needs; the first that is missing is named. */
  readonly permissions: readonly string[];
  output(authorization: Authorization, asked: AuthorizationContext): object;
}

/** In the answer's own words. */
export interface Authorization {
  readonly authorizationToken: string;
  readonly expiresAt?: number;
}

export interface AuthorizationContext {
  readonly accountId: string;
  readonly region: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export function registryService(api: RegistryApi): LabService<AwsState> {
  return {
    throttled: jsonErrorResponse(refuse('throttled', 'Rate exceeded')),
    respond: async (request, state, moment) => {
      const requested = requestedRegion(request, api.service);
      if ('status' in requested) return requested;
      const expected = { service: api.service, region: requested.region, nowMs: moment.nowMs };
      const signer = await checkSignature(request, state, expected);
      const result = isRefusal(signer) ? signer : grant(api, request, state, { signer, moment });
      return isRefusal(result) ? jsonErrorResponse(result) : jsonResponse(result);
    },
  };
}

interface Call {
  readonly signer: Signer;
  readonly moment: Moment;
}

function grant(api: RegistryApi, request: LabRequest, state: AwsState, call: Call): object {
  if (request.method !== 'POST' || request.headers['x-amz-target'] !== api.target) {
    return refuse('unknown-operation', '');
  }
  const input = readInput(request.body);
  if (isRefusal(input)) return input;
  const arn = arnOf(state, call.signer.key);
  const missing = api.permissions.find((action) => !isAllowed(state, call.signer.key, action));
  if (missing !== undefined) return deny(arn, missing);
  const authorization = authorize(api.service, state, call, arn);
  return api.output(authorization, { accountId: state.accountId, region: call.signer.region, input: { ...input } });
}

function readInput(body: string): object | Refusal {
  try {
    const input: unknown = JSON.parse(body);
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  } catch {
    // Said below, as for any other body that is no object.
  }
  return refuse('unreadable', '');
}

const loginLifeMs = 12 * 60 * 60 * 1000;
const loginPassedMs = 60 * 1000;

function authorize(
  service: RegistryLogin['service'],
  state: AwsState,
  { signer, moment }: Call,
  arn: string,
): Authorization {
  const password = markedSecret('eyJwYXlsb2FkIjoi', 1800);
  const expiresAtMs = moment.nowMs + (moment.expiry === 'passed' ? -loginPassedMs : loginLifeMs);
  state.registryLogins.push({ service, region: signer.region, username: 'AWS', password, expiresAtMs, arn });
  const authorizationToken = Buffer.from(`AWS:${password}`).toString('base64');
  return moment.expiry === 'absent' ? { authorizationToken } : { authorizationToken, expiresAt: expiresAtMs / 1000 };
}
