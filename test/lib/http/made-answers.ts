import type { Random } from '../../support/random.ts';

/** An answer as a working server sends it, in pieces that can be spoilt. */
export interface MadeAnswer {
  readonly statusLine: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** What comes before it, whole. */
  readonly interim: string;
}

export function makeAnswer(random: Random): MadeAnswer {
  const answer = random.weigh<() => MadeAnswer>([
    [4, () => withLength(random)],
    [4, () => withChunks(random)],
    [2, () => untilTheEnd(random)],
    [1, () => withoutBody(random)],
  ])();
  const more = Array.from({ length: random.between(0, 4) }, () => [headerName(random), headerValue(random)] as const);
  const headers = random.chance(0.5) ? [...more, ...answer.headers] : [...answer.headers, ...more];
  return { ...answer, headers: random.chance(0.2) ? [...headers, connection(random)] : headers };
}

export function encode(answer: MadeAnswer): Buffer {
  const lines = answer.headers.map(([name, value]) => `${name}:${value}\r\n`).join('');
  return Buffer.from(`${answer.interim}${answer.statusLine}\r\n${lines}\r\n${answer.body}`, 'latin1');
}

function withLength(random: Random): MadeAnswer {
  const body = text(random, 40);
  return plain(random, [[oddCase(random, 'content-length'), `${space(random)}${body.length}${space(random)}`]], body);
}

function withChunks(random: Random): MadeAnswer {
  const chunks = Array.from({ length: random.between(0, 4) }, () => chunk(random, `${text(random, 20)}.`)).join('');
  const trailers = Array.from(
    { length: random.chance(0.3) ? random.between(1, 3) : 0 },
    () => `${headerName(random)}:${headerValue(random)}\r\n`,
  ).join('');
  const last = `${random.pick(['0', '00', '0000'])}${extension(random)}\r\n${trailers}\r\n`;
  const encoding = [oddCase(random, 'transfer-encoding'), `${space(random)}${oddCase(random, 'chunked')}`] as const;
  return plain(random, [encoding], `${chunks}${last}`);
}

function chunk(random: Random, content: string): string {
  const size = oddCase(random, content.length.toString(16)).padStart(random.between(1, 4), '0');
  return `${size}${extension(random)}\r\n${content}\r\n`;
}

function extension(random: Random): string {
  return random.weigh([
    [8, ''],
    [1, ';name'],
    [1, ';name=value'],
    [1, ';name="a value; with \\" in it"'],
    [1, `;a=1;b=${'e'.repeat(random.between(1, 50))}`],
  ]);
}

function untilTheEnd(random: Random): MadeAnswer {
  return plain(random, [], text(random, 60));
}

function withoutBody(random: Random): MadeAnswer {
  const headers = random.weigh<MadeAnswer['headers']>([
    [2, []],
    [1, [['content-length', ' 40']]],
    [1, [['transfer-encoding', ' chunked']]],
  ]);
  return { ...plain(random, headers, ''), statusLine: `HTTP/1.1 ${random.pick(['204', '304'])} None` };
}

function plain(random: Random, headers: MadeAnswer['headers'], body: string): MadeAnswer {
  return { interim: random.chance(0.15) ? interim(random) : '', statusLine: statusLine(random), headers, body };
}

function statusLine(random: Random): string {
  const version = random.weigh([
    [8, '1.1'],
    [2, '1.0'],
  ]);
  const reason = random.pick([' OK', ' ', '', ' Not quite so', ' \u00fcber', ' 200 OK', ' HTTP/1.1 200']);
  return `HTTP/${version} ${random.pick(['200', '201', '205', '302', '400', '404', '500', '599', '999'])}${reason}`;
}

function interim(random: Random): string {
  const head = random.pick([
    'HTTP/1.1 100 Continue\r\n\r\n',
    'HTTP/1.1 100\r\nContent-Length: 4\r\n\r\n',
    'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\nLink: b\r\n\r\n',
    'HTTP/1.1 199 \r\nTransfer-Encoding: chunked\r\n\r\n',
  ]);
  return head.repeat(random.between(1, 3));
}

function connection(random: Random): readonly [name: string, value: string] {
  const name = random.pick(['Connection', 'connection', 'CONNECTION', 'Proxy-Connection']);
  return [name, random.pick([' close', ' Close', ' keep-alive', ' keep-alive, close', ' x,close ,y', ' closed', ''])];
}

function headerName(random: Random): string {
  return random.pick([
    'Server',
    'X-Twice',
    'x-twice',
    'X-TWICE',
    'Set-Cookie',
    'Date',
    'x_y.z!',
    '__proto__',
    '1',
    'Age',
  ]);
}

function headerValue(random: Random): string {
  return `${space(random)}${random.pick(['', 'a', 'a, b', 'a \t b', '\u00e9\u00ff', '\u00a0a\u00a0', '"', ':', '{"a":1}'])}${space(random)}`;
}

function space(random: Random): string {
  return random.pick(['', ' ', ' ', '\t', '  \t ']);
}

function oddCase(random: Random, word: string): string {
  return random.chance(0.5)
    ? word
    : Array.from(word, (each) => (random.chance(0.5) ? each.toUpperCase() : each)).join('');
}

function text(random: Random, longest: number): string {
  return random.characters('abc {}":,.0123456789\r\n\u0000\u00e9\u00ff;', random.between(0, longest));
}
