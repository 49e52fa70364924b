import t from 'tap';
import { isSignedBy, parseSignedToken } from '../../../lab/clouds/signed-token.ts';
import { deniedAccount, nodeAccount, podAccount } from '../../../lab/clouds/gcp/state.ts';
import { startGcpLab } from '../gcp-lab.ts';

const { lab, issueToken: prove, requestLines: asked } = await startGcpLab(t);
t.beforeEach(() => lab.reset());

await t.test('the instance gets an identity token for the audience, in the full format', async (t) => {
  const { token, expiresAtMs } = await prove('https://sts.example/a?b=c&d', undefined, {});
  const parsed = parseSignedToken(token);
  const { identityKeys, instance } = await lab.state();
  t.ok(parsed && identityKeys.some((key) => isSignedBy(parsed, key)), 'signed by Google');
  t.match(parsed?.claims, {
    iss: 'https://accounts.google.com',
    aud: 'https://sts.example/a?b=c&d',
    email: nodeAccount,
    google: { compute_engine: { instance_id: instance.id } },
  });
  t.equal(expiresAtMs, Number(parsed?.claims['exp']) * 1000);
  t.match(await asked(), [/^metadata GET .*service-accounts\/default\/identity\?audience=https%3A.*&format=full$/]);
});

await t.test('another account of the instance, and one that it may become', async (t) => {
  await lab.update({ instance: { serviceAccounts: [nodeAccount, deniedAccount] } });
  t.equal(claims(await prove('a', deniedAccount, {}))['email'], deniedAccount);
  t.equal(claims(await prove('a', podAccount, {}))['email'], podAccount);
});

await t.test('one that it may not become', async (t) => {
  await t.rejects(prove('a', deniedAccount, {}), {
    kind: 'denied',
    message: /denied iam\.serviceAccounts\.getOpenIdToken to the instance's service account/,
  });
});

await t.test('an instance without an account', async (t) => {
  await lab.update({ instance: { serviceAccounts: [] } });
  await t.rejects(prove('a', undefined, {}), { kind: 'misconfigured', message: /no service account/ });
  await t.rejects(prove('a', podAccount, {}), { kind: 'misconfigured', message: /no service account/ });
});

for (const body of ['', 'x', 'a.b.c', '{"access_token":"x"}']) {
  await t.test(`${body || 'nothing'} is no proof`, async (t) => {
    await lab.update({ metadata: { 'instance/service-accounts/default/identity': body } });
    await t.rejects(prove('a', undefined, {}), {
      kind: 'invalid-response',
      message: /without a usable identity token/,
    });
  });
}

function claims({ token }: { readonly token: string }): Readonly<Record<string, unknown>> {
  return parseSignedToken(token)?.claims ?? {};
}
