import t from 'tap';
import { Failure } from '../../../lib/failure.ts';
import { ask, askInTurn, askSuccessfully, bodyJson, bodyText } from '../../../lib/http/ask.ts';
import type { AskRequest } from '../../../lib/http/ask.ts';
import type { HttpRequest, HttpResponse } from '../../../lib/http/http.ts';
import { NetworkError } from '../../../lib/http/network-error.ts';
import { unusedContext } from '../../clouds/contexts.ts';

const request: AskRequest = {
  target: 'the test service',
  method: 'GET',
  url: new URL('https://service.example/path'),
  route: 'proxied',
  limits: { connectMs: 1, totalMs: 2 },
};

/** A context in which each request gets this response, or fails with this error. */
function contextWith(result: HttpResponse | Error, sent: HttpRequest[] = []): typeof unusedContext {
  const send = async (httpRequest: HttpRequest): Promise<HttpResponse> => {
    sent.push(httpRequest);
    return result instanceof Error ? Promise.reject(result) : result;
  };
  return { ...unusedContext, http: { send } };
}

function response(status: number, text = ''): HttpResponse {
  return { status, headers: {}, body: Buffer.from(text) };
}

await t.test('the request is sent as it is, without what only messages need', async (t) => {
  const sent: HttpRequest[] = [];
  const given = await ask(
    { ...request, remedyIfUnreachable: 'x', headers: { a: 'b' }, body: 'text' },
    contextWith(response(503), sent),
  );
  t.equal(given.status, 503);
  const { target: _, ...others } = request;
  t.strictSame(sent, [{ ...others, headers: { a: 'b' }, body: 'text' }]);
});

await t.test('search parameters are sent as a form', async (t) => {
  const sent: HttpRequest[] = [];
  await ask({ ...request, body: new URLSearchParams({ a: 'b c' }) }, contextWith(response(200), sent));
  t.equal(sent[0]?.body, 'a=b+c');
  t.strictSame(sent[0]?.headers, { 'content-type': 'application/x-www-form-urlencoded' });
});

await t.test('without a response the failure names the target, the reason and what to do', async (t) => {
  const context = contextWith(new NetworkError('refused', 'ECONNREFUSED'));
  const failure = await ask(request, context).catch((error: unknown) => error);
  t.match(failure, { kind: 'unavailable', message: /^the test service: the connection was refused/ });
  t.ok(failure instanceof Failure && failure.cause instanceof NetworkError);
  const advised = ask({ ...request, remedyIfUnreachable: 'go there' }, context);
  await t.rejects(advised, { message: /^the test service: the connection was refused/, remedy: 'go there' });
});

await t.test('an error that is no NetworkError is passed on', async (t) => {
  const error = new Error('aborted');
  t.equal(await ask(request, contextWith(error)).catch((reason: unknown) => reason), error);
});

await t.test('askSuccessfully takes status 200 only', async (t) => {
  t.equal(bodyText(await askSuccessfully(request, contextWith(response(200, 'yes')))), 'yes');
  const refused = askSuccessfully(request, contextWith(response(429)));
  await t.rejects(refused, { kind: 'throttled', message: /^the test service answered HTTP 429/ });
  await t.rejects(askSuccessfully(request, contextWith(response(204))), { message: /HTTP 204/ });
});

await t.test('a body that is not JSON is a failure that names the target', (t) => {
  t.strictSame(bodyJson(response(200, '{"a":1}'), 'x'), { a: 1 });
  t.throws(() => bodyJson(response(200, '<html>'), 'the test service'), {
    kind: 'invalid-response',
    message: /^the test service /,
  });
  t.end();
});

const first = new URL('http://first.example');
const second = new URL('http://second.example');

function unreachable(name: string): Failure {
  return new Failure('unavailable', name, { remedy: 'wait', cause: new NetworkError('unreachable', '') });
}

await t.test('the second address is asked only if the first cannot be reached', async (t) => {
  const asked: string[] = [];
  const given = await askInTurn([first, second], async ({ host }) => {
    asked.push(host);
    return host === first.host ? Promise.reject(unreachable(host)) : host;
  });
  t.equal(given, second.host);
  t.strictSame(asked, [first.host, second.host]);
  const refusal = new Failure('denied', 'refused', { remedy: 'ask somebody' });
  const refused = askInTurn([first, second], async ({ host }) =>
    host === first.host ? Promise.reject(refusal) : host,
  );
  await t.rejects(refused, { message: 'refused' });
});

await t.test('if no address can be reached, the failure of the first is thrown', async (t) => {
  const none = askInTurn([first, second], async ({ host }) => Promise.reject(unreachable(host)));
  await t.rejects(none, { message: first.host });
});
