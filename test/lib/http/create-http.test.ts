import type { RequestListener } from 'node:http';
import t from 'tap';
import type { Http, HttpRequest, HttpResponse } from '../../../lib/http/http.ts';
import type { NetworkReason } from '../../../lib/http/network-error.ts';
import { neverAborted, plainHttp, plainRequest, startHttp, startRaw, startRawAnswer, withBody } from './loopback.ts';

await t.test('a request arrives as it was meant, and its answer as it was given', async (t) => {
  const seen: unknown[] = [];
  const { port } = await startHttp(t, (request, response) => {
    withBody(request, (body) => {
      seen.push([request.method, request.url, request.headers['x-own'], request.headers.host, body]);
      response.writeHead(201, {
        'Content-Type': 'text/plain',
        'X-Twice': ['one', 'two'],
        'Set-Cookie': ['a=1', 'b=2'],
      });
      response.end('héllo');
    });
  });
  const request = plainRequest(`http://127.0.0.1:${port}/a/b?c=d`, {
    method: 'PUT',
    headers: { 'X-Own': 'v' },
    body: 'böd',
  });
  const response = await plainHttp({}).send(request, neverAborted);
  t.strictSame(seen, [['PUT', '/a/b?c=d', 'v', `127.0.0.1:${port}`, 'böd']]);
  t.equal(response.status, 201);
  t.match(response.headers, { 'content-type': 'text/plain', 'x-twice': 'one, two', 'set-cookie': 'a=1, b=2' });
  t.equal(Buffer.from(response.body).toString('utf8'), 'héllo');
});

await t.test('a link-local address is looked for at the interface of the request', async (t) => {
  const request = plainRequest('http://[fe80::a9fe:a9fe]:9/', { zone: 'lo' });
  // The loopback interface has no link-local addresses. Without an interface there is no network to be unreachable.
  await t.rejects(plainHttp({}).send(request, neverAborted), { name: 'NetworkError', message: 'ENETUNREACH' });
});

await t.test('a body of bytes is sent as it is', async (t) => {
  const bodies: string[] = [];
  const { port } = await startHttp(t, (request, response) => {
    withBody(request, (body) => response.end(String(bodies.push(body))));
  });
  const body = new TextEncoder().encode('bytes');
  await plainHttp({}).send(plainRequest(`http://127.0.0.1:${port}`, { method: 'POST', body }), neverAborted);
  t.strictSame(bodies, ['bytes']);
});

for (const status of [204, 301, 302, 307, 308, 400, 404, 429, 500, 503]) {
  await t.test(`HTTP ${status} is a response, and no redirect is followed`, async (t) => {
    const paths: (string | undefined)[] = [];
    const { port } = await startHttp(t, (request, response) => {
      paths.push(request.url);
      response.writeHead(status, { location: '/elsewhere', 'retry-after': '1' }).end();
    });
    const response = await plainHttp({}).send(plainRequest(`http://127.0.0.1:${port}/first`, {}), neverAborted);
    t.equal(response.status, status);
    t.equal(response.headers['location'], '/elsewhere');
    t.strictSame(paths, ['/first']);
  });
}

await t.test('one connection serves several requests in a row', async (t) => {
  const server = await startHttp(t, (_request, response) => response.end('ok'));
  const http = plainHttp({});
  for (let round = 0; round < 5; round += 1) {
    await http.send(plainRequest(`http://127.0.0.1:${server.port}/${round}`, {}), neverAborted);
  }
  t.equal(server.connections(), 1);
});

await t.test('several at once are all answered', async (t) => {
  const server = await startHttp(t, (request, response) => response.end(request.url));
  const http = plainHttp({});
  const paths = Array.from({ length: 10 }, (_, index) => `/${index}`);
  const responses = await Promise.all(
    paths.map((path) => http.send(plainRequest(`http://127.0.0.1:${server.port}${path}`, {}), neverAborted)),
  );
  t.strictSame(
    responses.map(({ body }) => Buffer.from(body).toString('utf8')),
    paths,
  );
});

await t.test('a slow answer is waited for longer than the limit for connecting', async (t) => {
  const { port } = await startHttp(t, (_request, response) => {
    setTimeout(() => response.end('late'), 150);
  });
  const http = plainHttp({});
  const request = plainRequest(`http://127.0.0.1:${port}`, { limits: { connectMs: 50, totalMs: 5_000 } });
  t.equal(Buffer.from((await http.send(request, neverAborted)).body).toString('utf8'), 'late');
  t.equal(
    Buffer.from((await http.send(request, neverAborted)).body).toString('utf8'),
    'late',
    'the connection kept too',
  );
});

await t.test('a body of a million bytes is taken, and one more is not', async (t) => {
  const sizes: Readonly<Record<string, number>> = { '/whole': 1_000_000, '/more': 1_000_001 };
  const { port } = await startHttp(t, (request, response) => response.end('x'.repeat(sizes[request.url ?? ''] ?? 0)));
  const http = plainHttp({});
  const response = await http.send(plainRequest(`http://127.0.0.1:${port}/whole`, {}), neverAborted);
  t.equal(response.body.length, 1_000_000);
  await t.rejects(http.send(plainRequest(`http://127.0.0.1:${port}/more`, {}), neverAborted), {
    name: 'NetworkError',
    reason: 'too-large',
  });
});

await t.test('a list may be as large as its caller allows', async (t) => {
  const { port } = await startHttp(t, (_request, response) => response.end('x'.repeat(2_000_000)));
  const ask = (bodyBytes: number): Promise<unknown> => {
    const limits = { connectMs: 5_000, totalMs: 10_000, bodyBytes };
    return plainHttp({}).send(plainRequest(`http://127.0.0.1:${port}`, { limits }), neverAborted);
  };
  t.match(await ask(2_000_000), { status: 200 });
  await t.rejects(ask(1_500_000), { reason: 'too-large', message: 'more than 1.5 MB' });
});

await t.test('an endless body is given up, not collected', async (t) => {
  const left = Promise.withResolvers<undefined>();
  const { port } = await startHttp(t, (_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more).on('close', () => left.resolve(undefined));
    more();
  });
  await t.rejects(plainHttp({}).send(plainRequest(`http://127.0.0.1:${port}`, {}), neverAborted), {
    name: 'NetworkError',
    reason: 'too-large',
  });
  await left.promise;
});

interface Broken {
  readonly what: string;
  readonly reason: NetworkReason;
  readonly bytes?: string;
  readonly ending: 'reset' | 'end' | 'wait';
}

const ok = 'HTTP/1.1 200 OK\r\n';
const broken: readonly Broken[] = [
  { what: 'a reset before any answer', reason: 'reset', ending: 'reset' },
  { what: 'an end before any answer', reason: 'reset', ending: 'end' },
  { what: 'an end within the status line', reason: 'reset', bytes: 'HTTP/1.1 2', ending: 'end' },
  { what: 'an end within the headers', reason: 'reset', bytes: `${ok}Content-Le`, ending: 'end' },
  {
    what: 'a body shorter than it says',
    reason: 'cut-off',
    bytes: `${ok}Content-Length: 9\r\n\r\nhalf`,
    ending: 'end',
  },
  { what: 'a reset within the body', reason: 'cut-off', bytes: `${ok}Content-Length: 9\r\n\r\nhalf`, ending: 'reset' },
  {
    what: 'chunks without an end',
    reason: 'cut-off',
    bytes: `${ok}Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n`,
    ending: 'end',
  },
  {
    what: 'a chunk that is none',
    reason: 'not-http',
    bytes: `${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\nhalf\r\n`,
    ending: 'wait',
  },
  { what: 'another protocol', reason: 'not-http', bytes: 'SSH-2.0-OpenSSH_9.2\r\n', ending: 'wait' },
  { what: 'a page without a head', reason: 'not-http', bytes: '<html>hello</html>\r\n\r\n', ending: 'end' },
  {
    what: 'a length that is no number',
    reason: 'not-http',
    bytes: `${ok}Content-Length: many\r\n\r\n`,
    ending: 'wait',
  },
  {
    what: 'two lengths',
    reason: 'not-http',
    bytes: `${ok}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    ending: 'wait',
  },
  {
    what: 'endless headers',
    reason: 'not-http',
    bytes: `${ok}${'X-More: and more\r\n'.repeat(10_000)}`,
    ending: 'wait',
  },
  { what: 'silence', reason: 'timeout', ending: 'wait' },
  { what: 'silence within the headers', reason: 'timeout', bytes: ok, ending: 'wait' },
  { what: 'silence within the body', reason: 'timeout', bytes: `${ok}Content-Length: 9\r\n\r\nhalf`, ending: 'wait' },
];

for (const { what, reason, bytes, ending } of broken) {
  await t.test(`${what} is ${reason}`, async (t) => {
    const { port } = await startRawAnswer(t, (socket) => {
      socket.write(bytes ?? '', () => {
        if (ending === 'reset') socket.resetAndDestroy();
        if (ending === 'end') socket.end();
      });
    });
    const limits = { connectMs: 1_000, totalMs: reason === 'timeout' ? 150 : 5_000 };
    const request = plainRequest(`http://127.0.0.1:${port}`, { limits });
    await t.rejects(plainHttp({}).send(request, neverAborted), { name: 'NetworkError', reason });
  });
}

await t.test('drops that keep coming do not make the whole wait longer', async (t) => {
  const { port } = await startRawAnswer(t, (socket) => {
    socket.write(`${ok}Content-Length: 9999\r\n\r\n`);
    const drip = setInterval(() => socket.write('.'), 10);
    socket.once('close', () => clearInterval(drip));
  });
  const request = plainRequest(`http://127.0.0.1:${port}`, { limits: { connectMs: 1_000, totalMs: 200 } });
  const startedAtMs = performance.now();
  await t.rejects(plainHttp({}).send(request, neverAborted), {
    name: 'NetworkError',
    reason: 'timeout',
    message: '0.2 s',
  });
  t.ok(performance.now() - startedAtMs < 3_000);
});

await t.test('a closed port is refused, and an unknown name is not found', async (t) => {
  const { port, close } = await startRaw(t, (socket) => socket.destroy());
  await close();
  const refused = plainHttp({}).send(plainRequest(`http://127.0.0.1:${port}`, {}), neverAborted);
  await t.rejects(refused, { name: 'NetworkError', reason: 'refused', message: 'ECONNREFUSED' });
  const unknown = plainHttp({}).send(plainRequest('http://nowhere.invalid', {}), neverAborted);
  await t.rejects(unknown, { name: 'NetworkError', reason: 'name-not-found' });
});

const answersNever: RequestListener = () => {};

await t.test('the signal of the caller ends a request with its own reason, and its connection', async (t) => {
  const left = Promise.withResolvers<undefined>();
  const controller = new AbortController();
  const { port } = await startHttp(t, (request) => {
    request.socket.once('close', () => left.resolve(undefined));
    controller.abort(new Error('answered'));
  });
  const sending = plainHttp({}).send(plainRequest(`http://127.0.0.1:${port}`, {}), controller.signal);
  await t.rejects(sending, { message: 'answered' });
  await left.promise;
});

await t.test('the signal ends a request within the body too', async (t) => {
  const controller = new AbortController();
  const { port } = await startRawAnswer(t, (socket) => {
    socket.write(`${ok}Content-Length: 9\r\n\r\nhalf`, () =>
      setTimeout(() => controller.abort(new Error('answered')), 20),
    );
  });
  const sending = plainHttp({}).send(plainRequest(`http://127.0.0.1:${port}`, {}), controller.signal);
  await t.rejects(sending, { message: 'answered' });
});

await t.test('after an abort no request is sent', async (t) => {
  const server = await startHttp(t, answersNever);
  const signal = AbortSignal.abort(new Error('answered'));
  await t.rejects(plainHttp({}).send(plainRequest(`http://127.0.0.1:${server.port}`, {}), signal), {
    message: 'answered',
  });
  t.equal(server.connections(), 0);
});

for (const proxy of ['not an address', 'http://', 'socks5://proxy.example:1080', 'http://proxy.example:99999']) {
  await t.test(`a proxy that cannot be used is a rejection, not a way past it: ${proxy}`, async (t) => {
    const http = plainHttp({ proxies: { http: proxy, https: proxy, no: '' } });
    for (const scheme of ['http', 'https']) {
      const request = plainRequest(`${scheme}://registry.invalid/`, { route: 'proxied' });
      await t.rejects(sendWithoutThrowing(http, request), { name: 'NetworkError', reason: 'proxy' }, scheme);
    }
  });
}

/** Code that only handles the promise would miss a throw. */
function sendWithoutThrowing(http: Http, request: HttpRequest): Promise<HttpResponse> {
  try {
    return http.send(request, neverAborted);
  } catch (error) {
    return Promise.reject(new Error('it threw', { cause: error }));
  }
}
