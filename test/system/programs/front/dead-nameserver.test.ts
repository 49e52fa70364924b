import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { Test } from 'tap';
import { createAwsNetwork } from '../../../lab/aws-network.ts';
import { createAzureNetwork } from '../../../lab/azure-network.ts';
import { createCloudNetwork } from '../../../lab/cloud-network.ts';
import { awsSite } from '../../../lab/clouds/aws/site.ts';
import * as aws from '../../../lab/clouds/aws/state.ts';
import { azureSite } from '../../../lab/clouds/azure/site.ts';
import * as azure from '../../../lab/clouds/azure/state.ts';
import { gcpSite } from '../../../lab/clouds/gcp/site.ts';
import * as gcp from '../../../lab/clouds/gcp/state.ts';
import { secretMarker } from '../../../lab/clouds/secrets.ts';
import { createTokenSigner } from '../../../lab/clouds/token-signer.ts';
import { requires } from '../../../lab/requires.ts';
import { filesOf } from '../../../lab/network/names.ts';
import type { Namespace } from '../../../lab/network/namespace.ts';
import { namespaceSupport } from '../../../lab/network/support.ts';
import { createWarmHost, pluginName } from '../../../lab/warm/warm-host.ts';
import { ask, requestBytes } from '../provider.ts';
import type { ProviderCall } from '../provider.ts';

const ecrImage = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app';
const acrImage = 'acme.azurecr.io/team/app:1';
const silent = '127.0.0.2';
const answering = '127.0.0.3';
const needs = requires(await namespaceSupport());
/** The C library asks the second nameserver after 5 s. */
const longestMs = 10_000;

await t.test('the first nameserver is dead, on AWS', needs, async (t) => {
  const { namespace, stop } = await createAwsNetwork({ regions: ['us-west-2'], ipVersions: [4] });
  t.teardown(stop);
  await useNameservers(t, namespace);

  await t.test('the program logs in within 10 s', async (t) => {
    const { code, stderr, durationMs } = await ask(namespace, { image: ecrImage });
    t.equal(code, 0, stderr);
    t.ok(durationMs < longestMs, `${durationMs} ms`);
    t.ok(durationMs > 4_000, 'the first nameserver was asked');
  });

  await t.test('the broker logs in within 10 s', async (t) => {
    const host = await createWarmHost(namespace);
    const broker = await host.startBroker();
    const options = { env: {}, input: requestBytes({ image: ecrImage }), timeoutMs: 70_000 };
    const { code, stderr, durationMs } = await host.askPlugin([], options, pluginName);
    t.equal(code, 0, stderr);
    t.ok(durationMs < longestMs, `${durationMs} ms`);
    t.match((await broker.send({})).status.requests, { answer: 1, decline: 0, failure: 0 });
  });
});

await t.test('the first nameserver is dead, on Azure', needs, async (t) => {
  const { namespace, stop } = await createAzureNetwork({ registries: [], authorities: [], ipVersions: [4] });
  t.teardown(stop);
  await useNameservers(t, namespace);
  const { code, stderr, durationMs } = await ask(namespace, { image: acrImage });
  t.equal(code, 0, stderr);
  t.ok(durationMs < longestMs, `${durationMs} ms`);
});

await t.test('the first nameserver is dead, for a pod of any cloud', needs, async (t) => {
  const { namespace, clouds, stop } = await createCloudNetwork({
    sites: [awsSite(['us-west-2']), azureSite(['acme.azurecr.io'], []), gcpSite('googleapis.com')],
    machineOf: 'nobody',
    ipVersions: [4],
  });
  t.teardown(stop);
  const signer = createTokenSigner('RS256');
  const keys = [signer.publicKey];
  await clouds.aws.update({ issuers: { [aws.labIssuer]: { audiences: ['sts.amazonaws.com'], keys } } });
  await clouds.azure.update({ issuers: { [azure.labIssuer]: { keys } } });
  const { providers } = await clouds.gcp.state();
  const trusting = Object.entries(providers).map(([name, each]) => [name, { ...each, keys }]);
  await clouds.gcp.update({ providers: Object.fromEntries(trusting) as typeof providers });
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  const tokenFrom = (iss: string, aud: string, sub: string): string =>
    signer.sign({ iss, aud: [aud], sub, exp, jti: secretMarker });
  await useNameservers(t, namespace);
  const pods: Readonly<Record<string, ProviderCall>> = {
    'AWS: a role, then a login': {
      image: ecrImage,
      token: tokenFrom(aws.labIssuer, 'sts.amazonaws.com', 'system:serviceaccount:default:puller'),
      annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/lab-pod' },
    },
    'Azure: Entra, then the registry': {
      image: acrImage,
      token: tokenFrom(azure.labIssuer, azure.exchangeAudience, azure.podSubject),
      annotations: {
        'kubernetes.azure.com/acr-client-id': azure.podIdentity,
        'kubernetes.azure.com/acr-tenant-id': azure.labTenant,
      },
    },
    'Google: an exchange, then another account': {
      image: 'us-west1-docker.pkg.dev/project/repository/app',
      token: tokenFrom(gcp.labIssuer, `https://iam.googleapis.com/${gcp.providerName}`, gcp.pullerSubject),
      annotations: { 'iam.gke.io/gcp-service-account': gcp.podAccount },
    },
  };
  await Promise.all(
    Object.entries(pods).map(async ([what, question]) => {
      const { code, stderr, durationMs } = await ask(namespace, question);
      t.equal(code, 0, `${what}: ${stderr}`);
      t.ok(durationMs < longestMs, `${what}: ${durationMs} ms`);
      t.ok(durationMs > 4_000, 'the first nameserver was asked');
    }),
  );
});

await t.test('all nameservers are dead: the reason names DNS', needs, async (t) => {
  const { namespace, stop } = await createAwsNetwork({ regions: ['us-west-2'], ipVersions: [4] });
  t.teardown(stop);
  await useNameservers(t, namespace);
  await writeFile(join(filesOf(namespace.name), 'resolv.conf'), `nameserver ${silent}\nnameserver ${silent}\n`);
  const host = await createWarmHost(namespace);
  const broker = await host.startBroker();
  const input = requestBytes({ image: ecrImage });

  await Promise.all([
    t.test('of the program', async (t) => {
      const { code, stderr } = await ask(namespace, {
        image: ecrImage,
        env: { RES_OPTIONS: 'timeout:1 attempts:1' },
      });
      t.equal(code, 1);
      t.match(stderr, /api\.ecr\.us-west-2\.amazonaws\.com: its name could not be resolved .*check this node's DNS/);
    }),
    t.test('of the broker, within 18 s', async (t) => {
      const { code, stderr, durationMs } = await host.askPlugin([], { env: {}, input, timeoutMs: 70_000 }, pluginName);
      t.equal(code, 1);
      t.match(stderr, /api\.ecr\.us-west-2\.amazonaws\.com: DNS did not resolve its name within the time allowed/);
      t.ok(durationMs < 18_000, `${durationMs} ms`);
      t.match((await broker.send({})).status.requests, { answer: 0, decline: 0, failure: 1 });
    }),
  ]);
});

/** From now on only the second nameserver resolves the names of the namespace. */
async function useNameservers(t: Test, namespace: Namespace): Promise<void> {
  const directory = filesOf(namespace.name);
  const hosts = parseHosts(await readFile(join(directory, 'hosts'), 'utf8'));
  const file = fileURLToPath(new URL('../../../lab/network/nameservers.ts', import.meta.url));
  const server = namespace.start(process.execPath, [file, JSON.stringify({ silent, answering, hosts })], {});
  t.teardown(() => server.stdin.end());
  await once(server.stdout, 'data');
  await Promise.all([
    writeFile(join(directory, 'hosts'), '127.0.0.1 localhost\n'),
    writeFile(join(directory, 'resolv.conf'), `nameserver ${silent}\nnameserver ${answering}\n`),
  ]);
}

function parseHosts(text: string): Record<string, string[]> {
  const hosts: Record<string, string[]> = {};
  for (const line of text.split('\n')) {
    const [address, name] = line.split(' ');
    if (address !== undefined && name !== undefined) (hosts[name] ??= []).push(address);
  }
  return hosts;
}
