import { isHeaderName, isLine } from './header-text.ts';
import type { HttpRequest } from './http.ts';
import { NetworkError } from './network-error.ts';

/** A request as it goes over the wire; `throughProxy`: to a proxy that is to pass it on. */
export function requestBytes(request: HttpRequest, throughProxy: Readonly<Record<string, string>> | undefined): Buffer {
  const { method, url, body } = request;
  const path = `${url.pathname}${url.search}`;
  const target = throughProxy === undefined ? path : `${url.protocol}//${url.host}${path}`;
  const content = typeof body === 'string' ? Buffer.from(body) : (body ?? Buffer.alloc(0));
  const head = headText(`${method} ${target} HTTP/1.1`, {
    host: url.host,
    ...ownHeaders(request.headers),
    ...throughProxy,
    connection: 'keep-alive',
    ...((method !== 'GET' || body !== undefined) && { 'content-length': String(content.length) }),
  });
  return Buffer.concat([Buffer.from(head, 'latin1'), content]);
}

/** A first line and headers, with the empty line behind them. */
export function headText(firstLine: string, headers: Readonly<Record<string, string>>): string {
  if (!/^[!-~]+ [!-~]+ HTTP\/1\.1$/.test(firstLine)) throw new NetworkError('other', 'the address cannot be sent');
  const lines = Object.entries(headers).map(([name, value]) => headerLine(name, value));
  return `${[firstLine, ...lines].join('\r\n')}\r\n\r\n`;
}

/** Nothing that comes from a file or a variable may end a line. */
function headerLine(name: string, value: string): string {
  if (!isHeaderName(name) || !isLine(value)) {
    throw new NetworkError('other', `the value of the header ${JSON.stringify(name)} cannot be sent`);
  }
  return `${name}: ${value}`;
}

/** In lower case. How long the body is is ours to say: whoever says it twice is read in two ways. */
function ownHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(all.filter(([name]) => name !== 'content-length' && name !== 'transfer-encoding'));
}
