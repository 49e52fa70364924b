import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { Test } from 'tap';
import { createAwsNetwork } from '../../lab/aws-network.ts';
import { createAzureNetwork } from '../../lab/azure-network.ts';
import { needing } from '../../lab/needing.ts';
import { filesOf } from '../../lab/network/names.ts';
import type { Namespace } from '../../lab/network/namespace.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { createWarmHost, pluginName } from '../../lab/warm/warm-host.ts';
import { ask, requestBytes } from './provider.ts';

const ecrImage = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app';
const acrImage = 'acme.azurecr.io/team/app:1';
const silent = '127.0.0.2';
const answering = '127.0.0.3';
const needs = needing(await namespaceSupport());
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
    t.match((await broker.tell({})).status.requests, { answer: 1, decline: 0, failure: 0 });
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

await t.test('all nameservers are dead: the reason names DNS', needs, async (t) => {
  const { namespace, stop } = await createAwsNetwork({ regions: ['us-west-2'], ipVersions: [4] });
  t.teardown(stop);
  await useNameservers(t, namespace);
  await writeFile(join(filesOf(namespace.name), 'resolv.conf'), `nameserver ${silent}\noptions timeout:1 attempts:1\n`);
  const { code, stderr } = await ask(namespace, { image: ecrImage });
  t.equal(code, 1);
  t.match(stderr, /api\.ecr\.us-west-2\.amazonaws\.com: its name could not be resolved .*check this node's DNS/);
});

/** From now on the namespace's names are known to its second nameserver alone. */
async function useNameservers(t: Test, namespace: Namespace): Promise<void> {
  const directory = filesOf(namespace.name);
  const hosts = parseHosts(await readFile(join(directory, 'hosts'), 'utf8'));
  const file = fileURLToPath(new URL('../../lab/network/nameservers.ts', import.meta.url));
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
