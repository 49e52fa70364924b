import { Failure } from '../../lib/failure.ts';
import type { FailureKind } from '../../lib/failure.ts';
import { bodyText } from '../../lib/http/ask.ts';
import type { HttpResponse } from '../../lib/http/http.ts';
import { statusFailure } from '../../lib/http/status-failure.ts';
import { parseJson } from '../../lib/json.ts';
import { retryAfterMs } from '../../lib/retry.ts';
import type { AzureCall } from './entra-codes.ts';
import { ResourceManagerError } from './schemas.ts';

/** `undefined`: the body is not an error of the Resource Manager. */
export function errorIn(body: unknown): ResourceManagerError['error'] | undefined {
  const parsed = ResourceManagerError.safeParse(body);
  return parsed.success ? parsed.data.error : undefined;
}

/** The Resource Manager's errors. https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/common-deployment-errors */
export function resourceManagerFailure(response: HttpResponse, call: AzureCall, wallMs: number): Failure {
  const code = errorIn(parseJson(bodyText(response)))?.code;
  const row = code === undefined ? undefined : rows.find(({ codes }) => codes.includes(code));
  const codeText = code !== undefined && /^[A-Za-z]{1,80}$/.test(code) ? ` (${code})` : '';
  if (row === undefined) return statusFailure(`${call.target}${codeText}`, response, wallMs);
  const waitMs = retryAfterMs(response.headers['retry-after'], wallMs);
  return new Failure(row.kind, `${row.message(call)}${codeText}`, {
    remedy: row.remedy,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
  });
}

interface ErrorRow {
  readonly codes: readonly string[];
  readonly kind: FailureKind;
  readonly remedy: string;
  message(call: AzureCall): string;
}

const rows: readonly ErrorRow[] = [
  {
    codes: ['AuthorizationFailed', 'LinkedAuthorizationFailed'],
    kind: 'denied',
    message: ({ target, as }) => `${target} denied the request to ${as}`,
    remedy: 'give it the role Reader on the subscription, or on the resource groups of the nodes',
  },
  {
    codes: ['InvalidAuthenticationTokenTenant'],
    kind: 'denied',
    message: ({ target, as }) => `${target} says that ${as} is of another tenant than the subscription`,
    remedy: "check AZURE_TENANT_ID, and the scope's subscription",
  },
  {
    codes: ['InvalidAuthenticationToken', 'ExpiredAuthenticationToken', 'AuthenticationFailed'],
    kind: 'denied',
    message: ({ target, as }) => `${target} refused the token of ${as}`,
    remedy: 'check the identity, the Azure cloud that it belongs to, and the clock',
  },
  {
    codes: ['SubscriptionNotFound', 'InvalidSubscriptionId'],
    kind: 'misconfigured',
    message: ({ target }) => `${target} has no such subscription, or does not show it`,
    remedy: "check the subscription in the nodes' providerIDs and in azure.scopes, and the role of the identity on it",
  },
  {
    codes: ['ResourceGroupNotFound'],
    kind: 'misconfigured',
    message: ({ target }) => `${target} has no such resource group`,
    remedy: 'nothing is concluded about its machines; if the group was deleted, delete the Nodes',
  },
];

export function notItsFormat(target: string): Failure {
  return new Failure('invalid-response', `${target} answered with something that is not its format`, {
    remedy: 'check that nothing else, such as a proxy, answers in its place',
  });
}
