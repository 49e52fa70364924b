import t from 'tap';
import { awsSite } from '../../../lab/clouds/aws/site.ts';
import { azureSite } from '../../../lab/clouds/azure/site.ts';
import { gcpSite } from '../../../lab/clouds/gcp/site.ts';
import { nodeAccount } from '../../../lab/clouds/gcp/state.ts';
import { markedSecret } from '../../../lab/clouds/secrets.ts';
import { requires } from '../../../lab/requires.ts';
import { nodeFor } from '../../../lab/node/for-test.ts';
import { sleepingImage } from '../../../lab/node/image/busybox-image.ts';
import { acrSite, googleRegistrySite } from '../../../lab/node/registry/registry-site.ts';
import { nodeSupport } from '../../../lab/node/support.ts';

const acr = 'acme.azurecr.io';
const google = 'us-docker.pkg.dev';
const manifest = 'application/vnd.oci.image.manifest.v1+json';

interface Answer {
  readonly status: number;
  readonly challenge: string | null;
  readonly body: { readonly access_token?: string };
}

await t.test('registries of other clouds, seen from a machine of AWS', requires(await nodeSupport()), async (t) => {
  const node = await nodeFor<'aws', 'azure' | 'gcp'>(t, 'aws', {
    sites: [awsSite(['us-west-2']), azureSite([acr], []), gcpSite('googleapis.com')],
    registries: [acrSite([acr]), googleRegistrySite([google])],
    plugin: 'none',
    parts: [],
  });
  const { azure, gcp } = node.clouds;
  for (const host of [acr, google]) await node.push(sleepingImage('app'), `${host}/team/app:1`);

  async function get(url: string, authorization: string): Promise<Answer> {
    const headers = { accept: manifest, ...(authorization !== '' && { authorization }) };
    const script = `const r = await fetch('${url}', ${JSON.stringify({ headers })});
      const body = await r.json().catch(() => ({}));
      console.log(JSON.stringify({ status: r.status, challenge: r.headers.get('www-authenticate'), body }))`;
    const args = ['--use-openssl-ca', '--input-type=module', '--eval', script];
    const ended = await node.namespace.run(process.execPath, args, { env: {}, input: '', timeoutMs: 10_000 });
    if (ended.code !== 0) throw new Error(ended.stderr);
    return JSON.parse(ended.stdout) as Answer;
  }
  const basic = (username: string, password: string): string =>
    `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

  await t.test('Azure’s exchanges a login that Azure gave out for a token, and takes that', async (t) => {
    const username = '00000000-0000-0000-0000-000000000000';
    const password = markedSecret('', 40);
    const login = { registry: acr, username, password, expiresAtMs: Date.now() + 60_000, objectId: 'somebody' };
    await azure.update({ registryLogins: [login] });
    const { status, challenge } = await get(`https://${acr}/v2/team/app/manifests/1`, '');
    t.equal(status, 401);
    const realm = /realm="([^"]+)"/.exec(challenge ?? '')?.[1] ?? '';
    const { body } = await get(`${realm}?service=${acr}`, basic(username, password));
    t.equal((await get(`https://${acr}/v2/team/app/manifests/1`, `Bearer ${body.access_token ?? ''}`)).status, 200);
    t.equal((await get(`https://${acr}/v2/team/app/manifests/1`, 'Bearer made.up.token')).status, 401);
    t.equal((await get(realm, basic(username, 'made up'))).status, 401);
  });

  await t.test('Google’s accepts the access token of an account that may pull', async (t) => {
    const token = markedSecret('ya29.', 60);
    const member = `serviceAccount:${nodeAccount}`;
    const scopes = ['https://www.googleapis.com/auth/cloud-platform'];
    await gcp.update({ accessTokens: { [token]: { member, scopes, expiresAtMs: Date.now() + 60_000 } } });
    const url = `https://${google}/v2/team/app/manifests/1`;
    t.equal((await get(url, basic('oauth2accesstoken', token))).status, 200);
    t.equal((await get(url, basic('somebody', token))).status, 401);
    t.equal((await get(url, basic('oauth2accesstoken', 'made up'))).status, 401);
  });
});
