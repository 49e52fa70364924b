import { stringify } from 'yaml';
import { cloudParts } from './cloud-parts.ts';
import { dockerConfig } from './docker-configs.ts';
import { mutateText, mutateValue } from './mutate.ts';
import { oddText, secretText } from './odd-values.ts';
import type { Random } from '../../support/random.ts';
import { registryEntries } from './registry-entries.ts';
import type { CaseTarget } from './registry-entries.ts';
import { federationToken } from './tokens.ts';

export interface GeneratedConfiguration {
  /** Absent: nothing is configured. */
  readonly yaml?: string;
  readonly files: Readonly<Record<string, string>>;
}

export function generateConfiguration(random: Random, target: CaseTarget): GeneratedConfiguration {
  const { path } = target;
  const files = {
    user: random.pickWeighted([
      [8, 'robot\n'],
      [1, ''],
      [1, oddText(random)],
    ]),
    password: random.pickWeighted([
      [8, secretText(random, '', 40)],
      [1, '\n'],
      [1, oddText(random)],
    ]),
    proof: random.chance(0.9) ? federationToken(random, target.cloud) : random.pick(['', oddText(random)]),
    'docker.json': dockerConfig(random),
    'ca.pem': `-----BEGIN CERTIFICATE-----\n${oddText(random)}\n-----END CERTIFICATE-----\n`,
  };
  if (random.chance(target.isAtHome ? 0.55 : 0.15)) return { files };
  const config = {
    ...(random.chance(0.05) && { caFile: path(random.pick(['ca.pem', 'docker.json', 'absent.pem'])) }),
    ...(random.chance(0.9) && { registries: registryEntries(random, target) }),
    ...(random.chance(0.5) && { dockerConfigFiles: [path(random.chance(0.9) ? 'docker.json' : 'absent.json')] }),
    ...cloudParts(random),
  };
  return { yaml: encode(random, config), files };
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
  '{"cloud":"AzurePublicCloud","tenantId":"x","aadClientSecret":"y"}\n',
  '[Global]\nproject-id = lab\n',
  'azure: {authorityHost: "https://evil.example/path"}\n',
  'gcp: {endpoints: {sts: "http://evil.example"}}\n',
  'registries: [{match: a.example, federation: {from: file}}]\n',
  'registries: [{match: a.example, federation: {from: moon, audience: x}, role: {a.b/c: d}}]\n',
];

function encode(random: Random, config: object): string {
  return random.pickWeighted<() => string>([
    [18, () => stringify(config)],
    [2, () => JSON.stringify(config)],
    [2, () => JSON.stringify(mutateValue(random, config))],
    [2, () => mutateText(random, stringify(config))],
    [2, () => random.pick(oddYaml)],
    [1, () => `${stringify(config)}password: ${secretText(random, '', 30)}\n`],
  ])();
}
