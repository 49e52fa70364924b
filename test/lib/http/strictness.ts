/** What Node's client takes and ours refuses, on purpose: no server that works sends it. */
export interface Strictness {
  readonly what: string;
  readonly matches: RegExp;
  readonly example: string;
}

const ok = 'HTTP/1.1 200 OK\r\n';
const chunks = '4\r\nbody\r\n0\r\n\r\n';

export const strictness: readonly Strictness[] = [
  {
    what: 'an empty line before the answer',
    matches: /(?:^|\r\n\r\n)[\r\n]+HTTP\//,
    example: `\r\n${ok}Content-Length: 0\r\n\r\n`,
  },
  {
    what: 'another version, or another protocol of the same looks',
    matches: /^(?:HTTP\/(?!1\.[01] )|RTSP\/|ICE\/)/m,
    example: 'HTTP/2.0 200 OK\r\nContent-Length: 0\r\n\r\n',
  },
  {
    what: 'a status below 100',
    matches: /^HTTP\/1\.[01] 0/m,
    example: 'HTTP/1.1 099 OK\r\nContent-Length: 0\r\n\r\n',
  },
  {
    what: 'a change to another protocol',
    matches: /^HTTP\/1\.[01] 101/m,
    example: 'HTTP/1.1 101 Other\r\n\r\n',
  },
  {
    what: 'a control character in the status line',
    matches: /^HTTP\/1\.[01] \d{3} [^\r\n]*[^\t\r\n -~\x80-\xff]/m,
    example: 'HTTP/1.1 200 O\u0001K\r\nContent-Length: 0\r\n\r\n',
  },
  {
    what: 'an encoding other than chunked alone',
    matches: /^transfer-encoding:[ \t]*(?!chunked[ \t]*\r\n)/im,
    example: `${ok}Transfer-Encoding: gzip, chunked\r\n\r\n${chunks}`,
  },
  {
    what: 'an encoding that is said twice',
    matches: /^transfer-encoding:[^]*^transfer-encoding:/im,
    example: `${ok}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`,
  },
  {
    what: 'a tab behind an encoding',
    matches: /^transfer-encoding:[^\r\n]*\t *\r\n/im,
    example: `${ok}Transfer-Encoding: chunked\t\r\n\r\n${chunks}`,
  },
  {
    what: 'a length of more than 15 digits',
    matches: /^content-length:[ \t]*\d{16}/im,
    example: `${ok}Content-Length: 0000000000000004\r\n\r\nbody`,
  },
  {
    what: 'a chunk size of more than 8 digits',
    matches: /^[0-9a-f]{9}/im,
    example: `${ok}Transfer-Encoding: chunked\r\n\r\n000000004\r\nbody\r\n0\r\n\r\n`,
  },
  {
    what: 'a chunk extension without a name',
    matches: /^[0-9a-f]+.*;=/im,
    example: `${ok}Transfer-Encoding: chunked\r\n\r\n4;=value\r\nbody\r\n0\r\n\r\n`,
  },
  {
    what: 'an encoding in the trailers',
    matches: /^0[^\r\n]*\r\n(?:[^\r\n]+\r\n)*transfer-encoding:/im,
    example: `${ok}Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n`,
  },
  {
    what: 'a head of more than 16 KB, colons and line ends counted',
    matches: /(?:^|\r\n\r\n)HTTP(?:(?!\r\n\r\n)[^]){16381}/,
    example: `${ok}${`x: ${'y'.repeat(10)}\r\n`.repeat(1_150)}Content-Length: 0\r\n\r\n`,
  },
];
