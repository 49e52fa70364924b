import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { parse } from 'yaml';
import { projectDirectory } from '../../../../build/project.ts';
import { lintConfig } from '../../../../lib/kubelet-config/lint.ts';
import { requires } from '../../../lab/requires.ts';
import { namespaceSupport } from '../../../lab/network/support.ts';
import { cellName, cellsOf } from '../../../support/cells.ts';
import type { Cell, RegistryName } from '../../../support/cells.ts';
import { isAccepted } from '../across-clouds/accepted-login.ts';
import type { PasswordLogin } from '../across-clouds/accepted-login.ts';
import { homeToken } from '../across-clouds/trust.ts';
import { ask } from '../provider.ts';
import type { ProviderCall } from '../provider.ts';
import { globCovers } from './glob.ts';
import { readPodExample } from './pod-example.ts';
import type { NodeHome } from './configuration.ts';
import type { CellFixture } from './fixture.ts';
import { hostOf, openCellFixture, storedLogin } from './fixture.ts';
import { hints } from '../../../support/kubelet-hints.ts';

const cells = cellsOf('test/system/programs/cells/cells.test.ts');

/** A machine needs no file for its own cloud's registries. */
const ownRegistries: Readonly<Record<NodeHome, readonly RegistryName[]>> = {
  aws: ['ecr', 'ecr-public'],
  azure: ['acr'],
  gcp: ['gcr', 'artifact-registry'],
  nobody: [],
};

const podExamples: Readonly<Partial<Record<RegistryName, string>>> = {
  ecr: 'pods-on-aws',
  'ecr-public': 'pods-on-aws',
  acr: 'pods-on-azure',
  gcr: 'pods-on-google',
  'artifact-registry': 'pods-on-google',
};

for (const home of ['aws', 'azure', 'gcp', 'nobody'] as const) {
  await t.test(`a machine of ${home}`, requires(await namespaceSupport()), async (t) => {
    const world = await openCellFixture(home);
    t.teardown(() => world.stop());
    for (const cell of cells.filter(({ identity }) => identity === `node of ${home}`)) {
      await t.test(cellName(cell), async (t) => {
        const host = hostOf(cell.registry, home);
        const login = await loginFor(world, host, { args: argsFor(cell, home, world) });
        t.ok(
          cell.registry === 'static' ? isStored(login) : await isAccepted(login, world.clouds),
          'the registry would let it in',
        );
      });
    }
    if (home !== 'nobody') return;
    for (const cell of cells.filter(({ identity }) => identity === 'pod')) {
      await t.test(cellName(cell), (t) => testPod(t, cell, world));
    }
  });
}

await t.test('the examples are what a kubelet starts with', async (t) => {
  for (const name of ['one-cloud', ...new Set(Object.values(podExamples))]) {
    t.strictSame(
      lintConfig(join(projectDirectory, 'docs/examples', name, 'credential-provider-config.yaml'), { hints }),
      [],
      name,
    );
  }
  const file = join(projectDirectory, 'docs/examples/one-cloud/credential-provider-config.yaml');
  const { providers } = parse(await readFile(file, 'utf8')) as {
    readonly providers: readonly [{ readonly matchImages: readonly string[] }];
  };
  for (const registry of ['ecr', 'ecr-public', 'acr', 'gcr', 'artifact-registry'] as const) {
    t.ok(
      providers[0].matchImages.some((glob) => globCovers(glob, hostOf(registry, 'nobody'))),
      registry,
    );
  }
});

function argsFor({ registry }: Cell, home: NodeHome, { configFile, storedConfigFile }: CellFixture): readonly string[] {
  if (registry === 'static') return ['--config', storedConfigFile];
  return ownRegistries[home].includes(registry) ? [] : ['--config', configFile];
}

/** On a machine that has no cloud's identity at all: the pod's own is enough, and the only one. */
async function testPod(t: Test, { registry, outcome }: Cell, fixture: CellFixture): Promise<void> {
  const host = hostOf(registry, 'nobody');
  if (registry === 'static') {
    const request = {
      image: `${host}/team/app`,
      token: homeToken('elsewhere'),
      args: ['--config', fixture.storedConfigFile],
    };
    const { answer, code } = await ask(fixture.namespace, request);
    t.strictSame([outcome, answer, code], ['refused', undefined, 1]);
    return;
  }
  const example = await readPodExample(podExamples[registry] ?? '');
  t.ok(
    example.matchImages.some((glob) => globCovers(glob, host)),
    'the kubelet would ask us',
  );
  t.strictSame(example.allowedAudiences, [example.audience], 'the kubelet may ask for the token');
  const { annotations, audience, configFile } = example;
  const login = await loginFor(fixture, host, {
    token: homeToken(audience),
    annotations,
    args: ['--config', configFile],
  });
  t.ok(await isAccepted(login, fixture.clouds), 'the registry would let it in');
}

async function loginFor(
  { namespace }: CellFixture,
  host: string,
  more: Omit<ProviderCall, 'image'>,
): Promise<PasswordLogin | undefined> {
  const { answer, stderr } = await ask(namespace, { image: `${host}/team/app`, ...more });
  if (answer === undefined) throw new Error(stderr);
  const [entry] = Object.entries(answer.auth);
  if (entry?.[0] !== host && entry?.[0] !== `${host}/team`) throw new Error(`a login for ${entry?.[0]}`);
  return entry[1];
}

function isStored(login: PasswordLogin | undefined): boolean {
  return login?.username === storedLogin.username && login.password === storedLogin.password;
}
