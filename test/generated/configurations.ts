import { stringify } from 'yaml';
import { ecrHost, strangerHosts } from './images.ts';
import { mutateText, mutateValue } from './mutate.ts';
import { oddText, secretText, word } from './odd-values.ts';
import type { Random } from './random.ts';

export interface GeneratedConfiguration {
  /** Absent: nothing is configured. */
  readonly yaml?: string;
  readonly files: Readonly<Record<string, string>>;
}

/** `path` gives the place of a file of ours by its name. */
export function generateConfiguration(random: Random, path: (name: string) => string): GeneratedConfiguration {
  const files = {
    user: random.weigh([
      [8, 'robot\n'],
      [1, ''],
      [1, oddText(random)],
    ]),
    password: random.weigh([
      [8, secretText(random, '', 40)],
      [1, '\n'],
      [1, oddText(random)],
    ]),
    'docker.json': dockerConfig(random),
    'ca.pem': `-----BEGIN CERTIFICATE-----\n${oddText(random)}\n-----END CERTIFICATE-----\n`,
  };
  if (random.chance(0.6)) return { files };
  const config = {
    ...(random.chance(0.1) && { caFile: path(random.pick(['ca.pem', 'docker.json', 'absent.pem'])) }),
    ...(random.chance(0.6) && {
      registries: Array.from({ length: random.between(0, 4) }, () => registryEntry(random, path)),
    }),
    ...(random.chance(0.6) && { dockerConfigFiles: [path(random.chance(0.9) ? 'docker.json' : 'absent.json')] }),
    ...(random.chance(0.2) && { aws: { roleAnnotations: ['example.com/pull-role'] } }),
  };
  return { yaml: encode(random, config), files };
}

function registryEntry(random: Random, path: (name: string) => string): object {
  const folder = random.chance(0.5) ? '' : `/${word(random)}`;
  const match = (random.chance(0.7) ? random.pick(strangerHosts) : ecrHost(random)) + folder;
  const login = { usernameFile: path('user'), passwordFile: path(random.chance(0.9) ? 'password' : 'absent') };
  const as = random.weigh([
    [6, ecrHost(random)],
    [2, 'public.ecr.aws'],
    [1, random.pick(strangerHosts)],
    [1, 'a..b'],
  ]);
  return random.weigh([
    [3, { match, login }],
    [3, { match, as }],
    [1, { match, as, nodeIdentity: random.pick(['default', 'chain', 'nobody']) }],
    [1, { match, nodeIdentity: random.pick(['default', 'process', '__proto__']) }],
  ]);
}

const oddYaml: readonly string[] = [
  '',
  '---\n---\n',
  'registries: *nobody\n',
  'registries: &self [*self]\n',
  'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n',
  '<<: 1\n',
  '? [a, b]\n: c\n',
  '!!binary "////"\n',
  '!!set {a, b}\n',
  '!evil/tag {a: b}\n',
  '%YAML 9.9\n---\n{}\n',
  'registries: !!js/function "() => 1"\n',
  '\tregistries: []\n',
  'registries: []\nregistries: []\n',
  '__proto__: {caFile: /x}\n',
  '{"registries": [',
  '- a\n- b\n',
  'null\n',
  '12\n',
  '\0\0\0',
];

function encode(random: Random, config: object): string {
  return random.weigh<() => string>([
    [12, () => stringify(config)],
    [2, () => JSON.stringify(config)],
    [2, () => JSON.stringify(mutateValue(random, config))],
    [2, () => mutateText(random, stringify(config))],
    [2, () => random.pick(oddYaml)],
    [1, () => `${stringify(config)}password: ${secretText(random, '', 30)}\n`],
  ])();
}

function dockerConfig(random: Random): string {
  const auths = Object.fromEntries(
    Array.from({ length: random.between(0, 5) }, () => [dockerKey(random), dockerEntry(random)]),
  );
  const config = { auths, ...(random.chance(0.2) && { credHelpers: { [dockerKey(random)]: 'helper' } }) };
  const text = JSON.stringify(config);
  return random.weigh<() => string>([
    [12, () => text],
    [2, () => JSON.stringify(mutateValue(random, config))],
    [1, () => mutateText(random, text)],
  ])();
}

function dockerKey(random: Random): string {
  const host = random.pick(strangerHosts);
  return random.weigh<() => string>([
    [8, () => host],
    [2, () => `${host}/${word(random)}`],
    [1, () => `https://${host}/v1/`],
    [1, () => 'https://index.docker.io/v1/'],
    [1, () => host.replace(/^[a-z0-9]+/, '*')],
    [1, () => `${'*'.repeat(random.between(1, 60))}x`],
    [1, () => `https://robot:${secretText(random, '', 20)}@${host}/`],
    [1, () => mutateText(random, host)],
  ])();
}

function dockerEntry(random: Random): object {
  const password = secretText(random, '', random.between(12, 60));
  const auth = Buffer.from(`robot:${password}`).toString('base64');
  return random.weigh<object>([
    [8, { auth }],
    [3, { username: 'robot', password }],
    [1, { auth: Buffer.from('robot:').toString('base64'), identitytoken: password }],
    [1, { identitytoken: password }],
    [1, { auth: mutateText(random, auth) }],
    [1, {}],
  ]);
}
