import { randomUUID } from 'node:crypto';
import type { LabResponse } from '../cloud.ts';
import type { Refusal, RefusalKind } from './refusal.ts';

/** AWS JSON 1.1, which ECR and ECR Public speak. */
export function jsonResponse(output: unknown): LabResponse {
  return { status: 200, headers: head(), body: JSON.stringify(output) };
}

export function jsonErrorResponse({ refused, message }: Refusal): LabResponse {
  return { status: 400, headers: head(), body: JSON.stringify({ __type: codes[refused], message }) };
}

function head(): Record<string, string> {
  return { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-requestid': randomUUID() };
}

const codes: Readonly<Record<RefusalKind, string>> = {
  unsigned: 'MissingAuthenticationTokenException',
  'badly-signed': 'IncompleteSignatureException',
  'wrong-signature': 'InvalidSignatureException',
  'unknown-key': 'UnrecognizedClientException',
  'expired-key': 'ExpiredTokenException',
  denied: 'AccessDeniedException',
  'unknown-operation': 'UnknownOperationException',
  unreadable: 'SerializationException',
  'invalid-parameter': 'InvalidParameterException',
  'switched-off': 'AccessDeniedException',
  'bad-web-identity': 'InvalidParameterException',
  'expired-web-identity': 'InvalidParameterException',
  throttled: 'ThrottlingException',
};
