import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { clouds } from '../../clouds/index.ts';
import type { Cloud, ImageRegistry, InstanceMetadata, Instances } from '../../clouds/cloud.ts';
import { NetworkError } from '../../lib/http/network-error.ts';
import { parseImageReference } from '../../lib/image-reference.ts';
import type { ImageReference } from '../../lib/image-reference.ts';
import { defaultConfig } from '../../schemas/config/defaults.ts';
import { unusedContext } from './contexts.ts';
import { fakeHost } from './fake-host.ts';

/** The facts about a cloud for the suite that all clouds have to pass. */
export interface ConformanceFixtures {
  readonly folder: string;
  /** Images that are the cloud's, at least one for each kind of registry it has. */
  readonly images: readonly string[];
  /** Does a login need a request? Then the endpoint has https, or is absent where there is none. */
  readonly hasEndpoint: boolean;
  /** Does each customer choose the first part of the host? Then another first part is another registry. */
  readonly hostStartsWithName?: boolean;
  /** All hosts below this domain are registries of the cloud. */
  readonly ownDomain?: string;
}

/** What every cloud promises, whatever it is; nothing here leaves this process. */
export async function runCloudConformance(t: Test, cloud: Cloud, fixtures: ConformanceFixtures): Promise<void> {
  await t.test('its name is that of its folder', (t) => {
    t.equal(cloud.name, fixtures.folder);
    t.ok(existsSync(join(import.meta.dirname, '..', '..', 'clouds', fixtures.folder, 'index.ts')));
    t.end();
  });
  const { registry, instances, metadata } = cloud;
  if (instances !== undefined) await testScopes(t, cloud.name, instances);
  if (metadata !== undefined) await testMetadata(t, metadata);
  if (registry === undefined) return;
  await testMatches(t, registry, fixtures);
  await testRegistryHosts(t, fixtures);
  await testHostileInput(t, registry);
  await testPurity(t, registry, fixtures);
}

async function testScopes(t: Test, cloud: string, instances: Instances): Promise<void> {
  const node = { uid: 'uid', name: 'node', nodeIps: [], labels: {} };
  await t.test('nodes are routed by the scheme of their providerID, each time the same way', (t) => {
    const examples = clouds.flatMap((entry) => entry.providerId.examples.map((id) => [entry.name, id] as const));
    for (const [owner, providerId] of examples) {
      const scopes = instances.scopesOf(Object.freeze({ ...node, providerId }));
      t.equal(scopes !== undefined, owner === cloud, providerId);
      t.strictSame(instances.scopesOf({ ...node, providerId }), scopes);
      for (const scope of scopes ?? []) t.match(scope, { cloud, key: /^[a-z][a-z0-9/-]*$/ });
    }
    for (const text of hostile) instances.scopesOf({ ...node, name: text, providerId: text });
    t.ok(Number.isInteger(instances.batchMax) && instances.batchMax > 0);
    t.end();
  });
}

/** On a machine without firmware texts, with a network that does not respond. */
async function testMetadata(t: Test, metadata: InstanceMetadata): Promise<void> {
  await t.test('if nothing can be found out, nothing is claimed, and the reason is reported', async (t) => {
    const http = { send: async () => Promise.reject(new NetworkError('refused', 'ECONNREFUSED')) };
    // Every sleep ends at once.
    const clock = { ...unusedContext.clock, sleep: () => Promise.resolve() };
    const ended = AbortSignal.abort(new Error('ended'));
    for (const context of [
      { ...unusedContext, http, clock },
      { ...unusedContext, http, clock, signal: ended },
      { ...unusedContext, clock },
    ]) {
      t.not(await metadata.detect(context), 'yes');
    }
    const node = { uid: 'uid', name: 'node', nodeIps: [], labels: {} };
    await t.rejects(metadata.describe(node, { ...unusedContext, http, clock }), { name: 'Failure', remedy: /./ });
  });
}

async function testMatches(
  t: Test,
  registry: ImageRegistry,
  { images, hasEndpoint, hostStartsWithName, ownDomain }: ConformanceFixtures,
): Promise<void> {
  await t.test('an image of its own is matched, and its key is the host, the port and a part of the path', (t) => {
    t.ok(images.length > 0);
    for (const text of images) {
      const image = reference(text);
      const match = registry.match(image);
      if (match === undefined) {
        t.fail(`${text} is not matched`);
        continue;
      }
      t.ok(match.kind.length > 0, text);
      t.type(match.servesWholeHost, 'boolean', text);
      const rest = match.authKey.slice(image.registry.length);
      t.ok(match.authKey.startsWith(image.registry), `${match.authKey} is for ${text}`);
      t.ok(rest === '' || `/${image.repository}/`.startsWith(`${rest}/`), `${match.authKey} covers ${text}`);
      if (match.servesWholeHost) t.equal(match.authKey, image.registry, 'a login for the whole host has no path');
      t.equal(match.endpoint === undefined, !hasEndpoint, `${text} is ${hasEndpoint ? '' : 'not '}asked for`);
      if (match.endpoint !== undefined) t.match(match.endpoint.href, /^https:\/\/[a-z0-9.-]+\/$/, text);
    }
    t.end();
  });

  await t.test('a port stays in the key, and out of the endpoint', (t) => {
    for (const text of images) {
      const image = reference(text);
      if (image.port !== undefined) continue;
      const match = registry.match(withPort(image, '8443'));
      if (match === undefined) continue;
      t.ok(match.authKey.startsWith(`${image.host}:8443`), text);
      if (match.endpoint !== undefined) t.notMatch(match.endpoint.href, '8443');
    }
    t.end();
  });

  await t.test('what looks like an image of its own is not', (t) => {
    for (const { host, repository } of images.map(reference)) {
      const others = [`${host}.evil.example`, `${host}evil`, `evil.${host}`];
      const beginnings = hostStartsWithName === true ? [] : [`evil-${host}`, `x${host}`];
      const isOwn = (other: string): boolean => ownDomain !== undefined && other.endsWith(`.${ownDomain}`);
      for (const other of [...others, ...beginnings].filter((name) => !isOwn(name))) {
        t.equal(registry.match({ host: other, registry: other, repository }), undefined, other);
      }
      const below = { host: 'evil.example', registry: 'evil.example', repository: `${host}/${repository}` };
      t.equal(registry.match(below), undefined, `evil.example/${host}`);
    }
    t.end();
  });
}

async function testRegistryHosts(t: Test, { folder, images }: ConformanceFixtures): Promise<void> {
  await t.test('its traits have each host that it matches without a configuration', async (t) => {
    const entry = clouds.find(({ name }) => name === folder);
    const { registry } = (await entry?.load({ env: {}, host: fakeHost({}) }, defaultConfig)) ?? {};
    if (entry === undefined || registry === undefined) throw new Error(`${folder} has no registries`);
    for (const image of images.map(reference).filter((each) => registry.match(each) !== undefined)) {
      t.match(image.host, entry.registryHosts);
      const others = clouds.filter(({ name, registryHosts }) => name !== folder && registryHosts?.test(image.host));
      t.strictSame(others, [], image.host);
    }
  });
}

const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'isPrototypeOf'];
const hostile = inherited
  .concat(inherited.map((name) => `${name}.example`))
  .concat(
    '',
    '.',
    '..',
    '-',
    '*',
    '*.*',
    '[',
    '(',
    '\\',
    '^',
    '$',
    '%00',
    '\0',
    '\n',
    ' ',
    'é',
    '\ud800',
    '/',
    ':',
    '@',
  )
  .concat('a'.repeat(100_000), 'a.'.repeat(50_000), '1'.repeat(100_000), '-'.repeat(100_000), '*'.repeat(1_000));

async function testHostileInput(t: Test, registry: ImageRegistry): Promise<void> {
  await t.test('whatever is asked for, match gives an answer and soon', (t) => {
    const startedAtMs = performance.now();
    for (const host of hostile) {
      for (const repository of ['app', ...hostile.slice(0, 12), 'a/'.repeat(50_000)]) {
        const image = { host, registry: host, repository };
        const match = registry.match(image);
        if (match !== undefined) t.fail(`${JSON.stringify(host.slice(0, 40))} is matched`);
      }
    }
    t.ok(performance.now() - startedAtMs < 20_000);
    t.end();
  });
}

async function testPurity(t: Test, registry: ImageRegistry, { images }: ConformanceFixtures): Promise<void> {
  await t.test('match gives the same for the same, and changes nothing', (t) => {
    for (const text of images) {
      const image = Object.freeze(reference(text));
      const first = registry.match(image);
      for (const other of [...images, ...hostile.slice(0, 12).map((name) => `registry.example/${name}`)]) {
        registry.match(reference(other));
      }
      t.strictSame(registry.match(image), first, text);
    }
    t.strictSame(Object.keys(Object.prototype), []);
    t.end();
  });
}

function reference(text: string): ImageReference {
  const image = parseImageReference(text);
  if (image === undefined) throw new Error(`${text} is no image reference`);
  return image;
}

function withPort({ host, repository }: ImageReference, port: string): ImageReference {
  return { host, port, registry: `${host}:${port}`, repository };
}
