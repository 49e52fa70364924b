import { randomUUID } from 'node:crypto';
import type { LabResponse } from '../cloud.ts';
import { render } from './query-protocol.ts';
import type { XmlTree } from './query-protocol.ts';
import type { Refusal, RefusalKind } from './refusal.ts';

/** EC2's own dialect of the query protocol. */
export function ec2Response(action: string, result: XmlTree): LabResponse {
  return xmlResponse(200, `${action}Response`, { requestId: randomUUID(), ...result });
}

/** What EC2 refuses for reasons that no other service has. */
export interface Ec2Error {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export function ec2ErrorResponse({ status, code, message }: Ec2Error): LabResponse {
  const Errors = { Error: { Code: code, Message: message } };
  return xmlResponse(status, 'Response', { Errors, RequestID: randomUUID() });
}

/** Refusals that every service has, in EC2's words: its messages about keys have less detail. */
export function toEc2Error({ refused, message }: Refusal): Ec2Error {
  const [status, code, ownMessage] = ec2Errors[refused];
  return { status, code, message: ownMessage ?? message };
}

function xmlResponse(status: number, root: string, tree: XmlTree): LabResponse {
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  const body = `${head}<${root} xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">${render(tree)}</${root}>`;
  return { status, headers: { 'content-type': 'text/xml;charset=UTF-8' }, body };
}

const invalidKey = 'AWS was not able to validate the provided access credentials';
const notComplete = 'The request must contain a valid (registered) AWS access key ID';

const ec2Errors: Readonly<Record<RefusalKind, readonly [status: number, code: string, says?: string]>> = {
  unsigned: [403, 'MissingAuthenticationToken', 'Request is missing Authentication Token'],
  'badly-signed': [401, 'AuthFailure', notComplete],
  'wrong-signature': [401, 'AuthFailure', invalidKey],
  'unknown-key': [401, 'AuthFailure', invalidKey],
  'expired-key': [400, 'RequestExpired', 'Request has expired.'],
  denied: [403, 'UnauthorizedOperation'],
  'unknown-operation': [400, 'InvalidAction'],
  unreadable: [400, 'MalformedQueryString'],
  'invalid-parameter': [400, 'InvalidParameterValue'],
  'switched-off': [403, 'OptInRequired'],
  'bad-web-identity': [400, 'InvalidParameterValue'],
  'expired-web-identity': [400, 'InvalidParameterValue'],
  throttled: [503, 'RequestLimitExceeded', 'Request limit exceeded.'],
};
