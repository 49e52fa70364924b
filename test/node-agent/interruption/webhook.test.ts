import t from 'tap';
import type { HttpRequest } from '../../../lib/http/http.ts';
import { sendReport } from '../../../node-agent/interruption/webhook.ts';
import { unusedContext } from '../../clouds/contexts.ts';

const report = { node: 'node-a', reason: 'DrainStarted', message: 'evicting pods', effect: 'ends', at: undefined };
const urlFile = '/etc/polycloud/webhook-url';
const secretUrl = 'https://hooks.example.com/services/T0/B0/secret';

await t.test('a JSON object', async (t) => {
  const { requests } = await send({ urlFile });
  t.match(requests, [{ method: 'POST', route: 'proxied', headers: { 'content-type': 'application/json' } }]);
  t.equal(requests[0]?.url.href, secretUrl);
  t.strictSame(JSON.parse(String(requests[0]?.body)), {
    node: 'node-a',
    reason: 'DrainStarted',
    message: 'evicting pods',
    effect: 'ends',
  });
});

await t.test('a text for Slack', async (t) => {
  const { requests } = await send({ urlFile, format: 'slack' });
  t.strictSame(JSON.parse(String(requests[0]?.body)), { text: 'node-a: evicting pods' });
});

await t.test('a text for Slack mentions nobody and has no links', async (t) => {
  const { requests } = await send({ urlFile, format: 'slack' }, { message: '<!channel> a & <https://x.example|b>' });
  t.strictSame(JSON.parse(String(requests[0]?.body)), {
    text: 'node-a: &lt;!channel&gt; a &amp; &lt;https://x.example|b&gt;',
  });
});

await t.test('a refusal does not quote the URL', async (t) => {
  const error = await send({ urlFile }, { status: 403 }).catch((reason: unknown) => reason);
  t.match(error, { name: 'Failure', message: /the webhook of \/etc\/polycloud\/webhook-url answered HTTP 403/ });
  t.notMatch(String(error), /secret/);
});

for (const text of [undefined, '', 'not a URL', 'http://hooks.example.com/', 'file:///etc/passwd']) {
  await t.test(`nothing is sent to ${String(text)}`, async (t) => {
    await t.rejects(send({ urlFile }, { text }), { name: 'Failure', kind: 'misconfigured' });
  });
}

async function send(
  webhook: Parameters<typeof sendReport>[1],
  options: { readonly status?: number; readonly text?: string | undefined; readonly message?: string } = {},
): Promise<{ readonly requests: readonly HttpRequest[] }> {
  const { status = 200, message = report.message } = options;
  const text = 'text' in options ? options.text : `${secretUrl}\n`;
  const requests: HttpRequest[] = [];
  const http: typeof unusedContext.http = {
    send: (request) => {
      requests.push(request);
      return Promise.resolve({ status, headers: {}, body: Buffer.from('ok') });
    },
  };
  await sendReport(
    { ...report, message },
    webhook,
    { readText: () => Promise.resolve(text) },
    { ...unusedContext, http },
  );
  return { requests };
}
