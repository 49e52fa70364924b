import { Failure } from '../../lib/failure.ts';
import type { FailureKind } from '../../lib/failure.ts';
import type { HttpResponse } from '../../lib/http/http.ts';
import { statusFailure } from '../../lib/http/status-failure.ts';
import { parseJson } from '../../lib/json.ts';
import { retryAfterMs } from '../../lib/retry.ts';
import { entraRows } from './entra-codes.ts';
import type { AzureCall } from './entra-codes.ts';
import { EntraError, RegistryError } from './schemas.ts';

/** Entra's errors. Their texts repeat ids and parts of tokens, so only the number is quoted. */
export function entraFailure(response: HttpResponse, call: AzureCall, wallMs: number): Failure {
  const { code, transient } = readEntraError(response);
  const row = entraRows.find(({ codes }) => code !== undefined && codes.includes(code));
  const codeText = code === undefined ? '' : ` (AADSTS${code})`;
  const passes = transient || response.status === 429 || response.status >= 500;
  if (row === undefined && transient) return serverError(call, response, wallMs);
  if (row === undefined || (passes && row.kind === 'denied')) {
    return statusFailure(`${call.target}${codeText}`, response, wallMs);
  }
  return failure(row.kind, `${row.message(call)}${codeText}`, { remedy: row.remedy, response, wallMs });
}

/** Errors of the metadata service, some of which it passes on from Entra. */
export function metadataFailure(response: HttpResponse, call: AzureCall, wallMs: number): Failure {
  const { code, description } = readEntraError(response);
  if (response.status === 400 && code !== undefined) return entraFailure(response, call, wallMs);
  const row = metadataRows.find(({ status, pattern }) => response.status === status && pattern.test(description));
  if (row === undefined) return statusFailure(call.target, response, wallMs);
  return failure(row.kind, row.message(call), { remedy: row.remedy, response, wallMs });
}

/** Errors of a registry. */
export function registryFailure(response: HttpResponse, call: AzureCall, wallMs: number): Failure {
  const parsed = RegistryError.safeParse(jsonOf(response));
  const details = parsed.success ? parsed.data.errors[0] : undefined;
  const row = registryRows.find(
    ({ status, code, pattern }) =>
      (response.status === status || details?.code === code) && pattern.test(details?.message ?? ''),
  );
  if (row === undefined) return statusFailure(call.target, response, wallMs);
  return failure(row.kind, row.message(call), { remedy: row.remedy, response, wallMs });
}

interface Details {
  readonly remedy: string;
  readonly response: HttpResponse;
  readonly wallMs: number;
}

function failure(kind: FailureKind, message: string, { remedy, response, wallMs }: Details): Failure {
  const waitMs = retryAfterMs(response.headers['retry-after'], wallMs);
  const retryText = waitMs === undefined ? '' : `, asking to wait ${Math.ceil(waitMs / 1000)} s`;
  return new Failure(kind, message + retryText, { remedy, ...(waitMs !== undefined && { retryAfterMs: waitMs }) });
}

function serverError(call: AzureCall, response: HttpResponse, wallMs: number): Failure {
  const remedy = 'it should pass; if not, see the Azure status page';
  return failure('unavailable', `${call.target} has an error of its own`, { remedy, response, wallMs });
}

interface EntraErrorDetails {
  readonly code: number | undefined;
  readonly transient: boolean;
  readonly description: string;
}

function readEntraError(response: HttpResponse): EntraErrorDetails {
  const parsed = EntraError.safeParse(jsonOf(response));
  const { error = '', error_description: description = '', error_codes: codes } = parsed.success ? parsed.data : {};
  const inText = /^(?:.{0,200}\s)?AADSTS(?<code>\d{5,9})\b/.exec(description)?.groups?.['code'];
  const code = codes?.find((each) => Number.isSafeInteger(each)) ?? (inText === undefined ? undefined : Number(inText));
  return { code, transient: error === 'temporarily_unavailable', description };
}

function jsonOf({ body }: HttpResponse): unknown {
  return parseJson(Buffer.from(body).toString('utf8'));
}

interface ResponseRow {
  readonly status: number;
  readonly pattern: RegExp;
  readonly kind: FailureKind;
  readonly remedy: string;
  message(call: AzureCall): string;
}

const anyText = /^/;
const updating = 'it should pass within 70 s';

/** https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token#error-handling */
const metadataRows: readonly ResponseRow[] = [
  {
    status: 400,
    pattern: /identity not found/i,
    kind: 'misconfigured',
    message: ({ as }) => `this machine does not have ${as}`,
    remedy:
      'assign the identity to the virtual machine or scale set, or choose another by nodeIdentity or AZURE_CLIENT_ID',
  },
  {
    status: 400,
    pattern: /multiple user assigned/i,
    kind: 'misconfigured',
    message: () => 'this machine has several managed identities, and none was chosen',
    remedy: 'name the client id of one by nodeIdentity in the configuration or by AZURE_CLIENT_ID',
  },
  {
    status: 403,
    pattern: anyText,
    kind: 'denied',
    message: ({ target }) => `${target} may not be used from here (HTTP 403)`,
    remedy: 'check what restricts the metadata service: a network policy, or the metadata security protocol',
  },
  {
    status: 404,
    pattern: anyText,
    kind: 'unavailable',
    message: ({ target }) => `${target} answered HTTP 404: it is being updated`,
    remedy: updating,
  },
  {
    status: 410,
    pattern: anyText,
    kind: 'unavailable',
    message: ({ target }) => `${target} answered HTTP 410: it is being updated`,
    remedy: updating,
  },
];

/** https://learn.microsoft.com/azure/container-registry/container-registry-troubleshoot-login */
const registryRows: ReadonlyArray<ResponseRow & { readonly code: string }> = [
  {
    status: 429,
    code: 'TOOMANYREQUESTS',
    pattern: anyText,
    kind: 'throttled',
    message: ({ target }) => `${target} throttles logins`,
    remedy: 'it should pass; if it stays, spread the pulls or take a larger tier of the registry',
  },
  {
    status: 403,
    code: 'DENIED',
    pattern: /not allowed access|acr\/firewall/i,
    kind: 'denied',
    message: ({ target }) => `${target} refuses this node's address`,
    remedy: "allow it in the registry's network rules, or reach the registry by its private endpoint",
  },
  {
    status: 403,
    code: 'DENIED',
    pattern: anyText,
    kind: 'denied',
    message: denial,
    remedy:
      'give it the role AcrPull on the registry, or Container Registry Repository Reader where that decides by ABAC',
  },
  {
    status: 401,
    code: 'UNAUTHORIZED',
    pattern: anyText,
    kind: 'denied',
    message: denial,
    remedy:
      'give it AcrPull on the registry (Container Registry Repository Reader where that decides by ABAC), and check that both are in one tenant',
  },
];

function denial({ target, as }: AzureCall): string {
  return `${target} denied the login to ${as}`;
}
