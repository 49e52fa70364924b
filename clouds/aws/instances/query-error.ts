import type { HttpResponse } from '../../../lib/http/http.ts';
import { readXml, textAt } from './xml.ts';
import type { XmlElement } from './xml.ts';

/** A refusal in the form of the SDK's errors, which errors.ts reads: the code is its name. */
export interface QueryError extends Error {
  readonly $response: { readonly statusCode: number; readonly headers: Readonly<Record<string, string>> };
}

const names = new Set(['Response', 'Errors', 'ErrorResponse', 'Error', 'Code', 'Message']);

/** EC2 answers `Response/Errors/Error`, the other services of this protocol `ErrorResponse/Error`. */
export function parseQueryError({ status, headers, body }: HttpResponse): QueryError {
  const root = readXml(Buffer.from(body).toString('utf8'), names);
  const error = firstError(root);
  const cause = new Error(textAt(error, 'Message') ?? '');
  cause.name = textAt(error, 'Code') ?? 'Unknown';
  return Object.assign(cause, { $response: { statusCode: status, headers } });
}

function firstError(root: XmlElement | undefined): XmlElement | undefined {
  const parent = root?.name === 'Response' ? root.children.find(({ name }) => name === 'Errors') : root;
  return parent?.children.find(({ name }) => name === 'Error');
}
