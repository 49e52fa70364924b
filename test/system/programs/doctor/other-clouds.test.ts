import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createCloudNetwork } from '../../../lab/cloud-network.ts';
import { azureSite } from '../../../lab/clouds/azure/site.ts';
import { deniedIdentity, labTenant } from '../../../lab/clouds/azure/state.ts';
import type { EmbeddedName } from '../../../lab/clouds/embedded.ts';
import { gcpSite } from '../../../lab/clouds/gcp/site.ts';
import { clusterIssuer, clusterPool } from '../../../lab/clouds/gcp/state.ts';
import { secretMarker } from '../../../lab/clouds/secrets.ts';
import { createTokenSigner } from '../../../lab/clouds/token-signer.ts';
import { requires } from '../../../lab/requires.ts';
import { namespaceSupport } from '../../../lab/network/support.ts';
import { runDoctor } from './run-doctor.ts';
import { kubeletWith } from './kubelet-files.ts';

const acr = 'acme.azurecr.io/team/app';
const google = 'us-west1-docker.pkg.dev/project/repository/app';
const sites = [azureSite(['acme.azurecr.io'], []), gcpSite('googleapis.com')];

function networkOf(machineOf: EmbeddedName & ('azure' | 'gcp')) {
  return createCloudNetwork({ sites, machineOf, ipVersions: [4] });
}

await t.test('doctor on Azure', requires(await namespaceSupport()), async (t) => {
  const network = await networkOf('azure');
  t.teardown(network.stop);
  const { namespace, clouds } = network;
  t.beforeEach(() => clouds.azure.reset());

  await t.test('each step', async (t) => {
    const { code, text } = await runDoctor(namespace, acr, { kubelet: kubeletWith(t.testdir(), {}) });
    t.equal(code, 0, text);
    t.match(text, /acr of azure for acme\.azurecr\.io, asked at acme\.azurecr\.io/);
    t.match(
      text,
      /ok +step +[\d.]+ ms {2}a token for https:\/\/containerregistry\.azure\.net from .* as this machine's managed identity/,
    );
    t.match(text, /ok +step +[\d.]+ ms {2}a login from acme\.azurecr\.io/);
    t.match(text, /valid for (?:3h0m0|2h59m59)s[^]*keeps it for 1h(?:29m5\d|30m0)s/);
  });

  await t.test('an entry of acr-credential-provider, with its azure.json', async (t) => {
    const directory = t.testdir();
    const file = join(directory, 'azure.json');
    const wish = { name: 'acr-credential-provider', args: [file] };
    writeFileSync(
      file,
      JSON.stringify({
        useManagedIdentityExtension: true,
        tenantId: labTenant,
        userAssignedIdentityID: deniedIdentity,
      }),
    );
    const { code, text } = await runDoctor(namespace, acr, { kubelet: kubeletWith(directory, wish) });
    t.equal(code, 1);
    t.match(text, new RegExp(`denied the login to the managed identity ${deniedIdentity}\\n +hint: give it AcrPull`));
  });

  await t.test('the registry’s firewall', async (t) => {
    const { registries } = await clouds.azure.state();
    const known = registries['acme.azurecr.io'];
    await clouds.azure.update({ registries: { ...(known && { 'acme.azurecr.io': { ...known, closed: true } }) } });
    const { code, text } = await runDoctor(namespace, acr, {});
    t.equal(code, 1);
    t.match(text, /hint: .*(?:network|firewall)/);
  });

  await t.test('a machine of another cloud, without federation in the configuration', async (t) => {
    const { code, text } = await runDoctor(namespace, google, {});
    t.equal(code, 1);
    t.match(text, /hint: .*GOOGLE_APPLICATION_CREDENTIALS/);
  });
});

await t.test('doctor on Google', requires(await namespaceSupport()), async (t) => {
  const network = await networkOf('gcp');
  t.teardown(network.stop);
  const { namespace, clouds } = network;
  const signer = createTokenSigner('RS256');
  t.beforeEach(() => clouds.gcp.reset());

  await t.test('each step', async (t) => {
    const { code, text } = await runDoctor(namespace, google, { kubelet: kubeletWith(t.testdir(), {}) });
    t.equal(code, 0, text);
    t.match(text, /artifact-registry of gcp for us-west1-docker\.pkg\.dev\n/);
    t.match(text, /ok +step +[\d.]+ ms {2}access token of service account default at the metadata server\n/);
    t.match(text, /user oauth2accesstoken, valid for/);
  });

  await t.test('a pod whose token has an unknown signature', async (t) => {
    const file = join(t.testdir(), 'token');
    const exp = Math.floor(Date.now() / 1000) + 3_600;
    const claims = { iss: clusterIssuer, aud: [clusterPool], sub: 'system:serviceaccount:default:puller', exp };
    writeFileSync(file, signer.sign({ ...claims, jti: secretMarker }));
    const { code, text } = await runDoctor(namespace, google, { args: ['--token-file', file] });
    t.equal(code, 1);
    t.match(text, /the pod's, by its service account token[^]*FAILED step .*does not accept the token[^]*hint: /);
  });

  await t.test('an instance without a service account', async (t) => {
    await clouds.gcp.update({ instance: { serviceAccounts: [] } });
    const { text } = await runDoctor(namespace, google, {});
    t.match(text, /this instance has no service account\n +hint: attach one/);
  });

  await t.test('a login in files', async (t) => {
    const directory = t.testdir({ user: 'somebody', password: `${secretMarker}password` });
    const config = join(directory, 'config.yaml');
    const login = { usernameFile: join(directory, 'user'), passwordFile: join(directory, 'password') };
    writeFileSync(config, JSON.stringify({ registries: [{ match: 'registry.example', login }] }));
    const wish = { args: ['--config', config] };
    const kubelet = kubeletWith(directory, wish);
    const { code, text } = await runDoctor(namespace, 'registry.example/app:1', { kubelet });
    t.equal(code, 0, text);
    t.match(
      text,
      new RegExp(
        `configuration +[\\d.]+ ms  ${config}\n.* of static for registry.example\n[^]*user somebody, without a known expiry`,
      ),
    );
    writeFileSync(login.passwordFile, '');
    t.match((await runDoctor(namespace, 'registry.example/app:1', { kubelet })).text, /FAILED[^]*hint: /);
  });

  await t.test('an invalid configuration file', async (t) => {
    const config = join(t.testdir({ 'config.yaml': 'registries:\n  - matches: x\n' }), 'config.yaml');
    const { code, text } = await runDoctor(namespace, google, { args: ['--config', config] });
    t.equal(code, 1);
    t.match(text, /FAILED[^]*config\.yaml.*line 2[^]*hint: /);
  });
});
