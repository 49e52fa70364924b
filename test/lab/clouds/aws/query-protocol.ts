import { randomUUID } from 'node:crypto';
import type { LabResponse } from '../cloud.ts';
import type { Refusal, RefusalKind } from './refusal.ts';

/** In the order they are sent; what is absent is left out, and a list is one of `item`s, as EC2 has them. */
export interface XmlTree {
  readonly [name: string]: string | undefined | XmlTree | readonly XmlTree[] | readonly string[];
}

/** AWS's query protocol, which STS speaks: a form in, XML out. */
export function queryResponse(action: string, result: XmlTree): LabResponse {
  const body = { [`${action}Result`]: result, ResponseMetadata: { RequestId: randomUUID() } };
  return xmlResponse(200, `${action}Response`, body);
}

export function queryErrorResponse({ refused, message }: Refusal): LabResponse {
  const [status, code] = codes[refused];
  return xmlResponse(status, 'ErrorResponse', {
    Error: { Type: 'Sender', Code: code, Message: message },
    RequestId: randomUUID(),
  });
}

function xmlResponse(status: number, root: string, tree: XmlTree): LabResponse {
  const body = `<${root} xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${render(tree)}</${root}>\n`;
  return { status, headers: { 'content-type': 'text/xml', 'x-amzn-requestid': randomUUID() }, body };
}

export function render(tree: XmlTree): string {
  return Object.entries(tree)
    .map(([name, value]) => {
      if (value === undefined) return '';
      return `<${name}>${content(value)}</${name}>`;
    })
    .join('');
}

type Content = string | XmlTree | readonly XmlTree[] | readonly string[];

function content(value: Content): string {
  if (typeof value === 'string') return escape(value);
  return isList(value) ? value.map((item) => `<item>${content(item)}</item>`).join('') : render(value);
}

function isList(value: Content): value is readonly XmlTree[] | readonly string[] {
  return Array.isArray(value);
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const codes: Readonly<Record<RefusalKind, readonly [status: number, code: string]>> = {
  unsigned: [403, 'MissingAuthenticationToken'],
  'badly-signed': [400, 'IncompleteSignature'],
  'wrong-signature': [403, 'SignatureDoesNotMatch'],
  'unknown-key': [403, 'InvalidClientTokenId'],
  'expired-key': [403, 'ExpiredToken'],
  denied: [403, 'AccessDenied'],
  'unknown-operation': [400, 'InvalidAction'],
  unreadable: [400, 'MalformedInput'],
  'invalid-parameter': [400, 'ValidationError'],
  'bad-web-identity': [400, 'InvalidIdentityToken'],
  'switched-off': [403, 'OutboundWebIdentityFederationDisabledException'],
  'expired-web-identity': [400, 'ExpiredTokenException'],
  throttled: [400, 'Throttling'],
};
