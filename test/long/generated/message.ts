import type { GeneratedCloudName } from './hosts.ts';
import { oddText, secretText } from './odd-values.ts';
import type { Random } from '../../support/random.ts';
import type { RawRequest } from './raw-servers.ts';
import { nowS } from './tokens.ts';

/** A response before it is encoded. */
export interface Message {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Which machine the program runs on: its metadata service knows no other cloud's paths. */
export type HomeCloud = GeneratedCloudName | 'nowhere';

/** From the real expiry of a credential to its value in the response, in any unit. */
export type Expiry = (usual: number) => unknown;

/** How one service talks. */
export interface FakeService {
  /** What it answers when nothing is wrong; everything secret in it carries the marker. */
  document(random: Random, request: RawRequest, expiry: Expiry): unknown;
  render(document: unknown, request: RawRequest): Message;
  /** A refusal in the service's own format that echoes a secret. */
  refuse(random: Random, request: RawRequest): Message;
  /** In the right form, but with a login that is none. */
  oddLogin(random: Random, request: RawRequest): Message;
}

export function jsonMessage(status: number, document: unknown, headers: Message['headers']): Message {
  return { status, headers: [['content-type', 'application/json; charset=utf-8'], ...headers], body: textOf(document) };
}

export function textOf(document: unknown): string {
  return typeof document === 'string' ? document : JSON.stringify(document);
}

/** Invalid dates and lives, as numbers of either unit and as text. `undefined`: absent. */
export function oddExpiry(random: Random): unknown {
  return random.pick<unknown>([
    0,
    -1,
    1,
    1e-3,
    8.64e12,
    8.64e15,
    9e15,
    1e300,
    -8.64e15,
    nowS() - 60,
    Date.now() + 1_000,
    '',
    'soon',
    'NaN',
    null,
    undefined,
    undefined,
    undefined,
    '1970-01-01T00:00:00Z',
    '+275760-09-13T00:00:00.000Z',
    '-271821-04-20T00:00:00Z',
    '2026-02-30T25:61:61Z',
    '12',
    {},
    [],
  ]);
}

/** Without milliseconds, as clouds write it; what is no date stays as it is. */
export function dateText(value: unknown): unknown {
  const isDate = typeof value === 'number' && !Number.isNaN(new Date(value).getTime());
  return isDate ? new Date(value).toISOString().replace(/\.\d+Z$/, 'Z') : value;
}

export function oddTextOrSecret(random: Random): string {
  return random.chance(0.5) ? oddText(random) : secretText(random, '', 40);
}

/** The response of a server that quotes too much: the whole request, and more. */
export function echo(random: Random, { headers, body, path, host }: RawRequest): string {
  return random.pick([
    `POST ${path}\n\n${headers}\n\n${body}`,
    `${body} ${secretText(random, 'eyJ', 200)}`,
    `https://robot:${secretText(random, '', 30)}@${host}/ ${path}`,
    oddTextOrSecret(random),
  ]);
}

/** What stands where a token should. */
export function oddToken(random: Random): string {
  const secret = secretText(random, '', 80);
  return random.pick([
    '',
    ' ',
    `${secret}\n${secret}`,
    `${secret}\r\nx: y`,
    `${secret}\0`,
    `ä${secret}`,
    secret.repeat(300),
    '.',
    '..',
    'a.e30.b',
    `a.${Buffer.from('{"exp":"soon"}').toString('base64url')}.b`,
    `a.${Buffer.from('{"exp":1e300}').toString('base64url')}.b`,
  ]);
}
