import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { parseCredentials } from '../../../../clouds/gcp/identity/parse-credentials.ts';
import { readDockerConfig } from '../../../../clouds/static/registry/docker-config.ts';
import { readInventory } from '../../../../clouds/static/inventory.ts';
import { parseConfigFile } from '../../../../lib/config/parse-config.ts';
import type { Host } from '../../../../lib/host.ts';
import { parseJson } from '../../../../lib/json.ts';
import { parseKubeconfig } from '../../../../lib/kubernetes/access/parse-kubeconfig.ts';
import type { Random } from '../../../support/random.ts';
import { generateConfiguration } from '../../generated/configurations.ts';
import { dockerConfig } from '../../generated/docker-configs.ts';
import { cloudNames, registryHost, unknownHosts } from '../../generated/hosts.ts';
import { mutateText, mutateValue } from '../../generated/mutate.ts';
import { oddText, secretText } from '../../generated/odd-values.ts';
import { attempt, checkError } from '../target.ts';
import type { FuzzTarget, FuzzCase, FuzzResult } from '../target.ts';
import { inventory, kubeconfig, googleCredentials } from './files.ts';

/** A file that operators write, and who reads it. */
interface Format {
  make(random: Random): string;
  read(text: string): unknown;
  /** The parsed configuration as a file again. Absent: it has another form. */
  print?(value: unknown): string;
}

const file = '/etc/lab/file';
const fileLine = /, line (?<line>\d+): /;

const formats: Readonly<Record<string, Format>> = {
  configuration: {
    make: (random) => generateConfiguration(random, caseTarget(random)).yaml ?? '',
    read: (text) => parseConfigFile(text, file),
    print: stringify,
  },
  inventory: {
    make: (random) => mutated(random, inventory(random), stringify),
    read: (text) => readInventory(file, hostWith(text)),
    print: (machines) => stringify({ machines }),
  },
  'docker config': { make: dockerConfig, read: (text) => readDockerConfig(file, hostWith(text)) },
  kubeconfig: {
    make: (random) => mutated(random, kubeconfig(random), stringify),
    read: (text) => parseKubeconfig(text, file),
  },
  'credentials of Google': {
    make: (random) => mutated(random, googleCredentials(random), JSON.stringify),
    read: (text) => parseCredentials(parseJson(text), { path: file, universeDomain: 'googleapis.com' }),
  },
};

/** Unchanged, with one other value, or with a misplaced secret. */
function mutated(random: Random, value: object, print: (value: unknown) => string): string {
  return random.pickWeighted<() => string>([
    [4, () => print(value)],
    // JSON is YAML too; the printer of YAML takes no value that is a thousand levels deep.
    [4, () => JSON.stringify(mutateValue(random, value))],
    [2, () => mutateText(random, print(value))],
    // A key that is a map, and an unknown tag: YAML parsers often print warnings about these.
    [1, () => `? { token: ${secretText(random, '', 30)} }\n: x\n${stringify(value)}`],
    [1, () => `key: !unknown ${secretText(random, '', 30)}\n${stringify(value)}`],
    [1, () => print({ ...value, [random.chance(0.5) ? oddText(random) : 'password']: secretText(random, '', 30) })],
  ])();
}

function caseTarget(random: Random): Parameters<typeof generateConfiguration>[1] {
  const cloud = random.pick(cloudNames);
  const registry = random.chance(0.5) ? random.pick(unknownHosts) : registryHost(random, cloud);
  return { registry, cloud, home: random.pick(cloudNames), isAtHome: false, path: (name) => `/etc/lab/${name}` };
}

function hostWith(text: string): Host {
  return { readText: async () => text, runCommand: () => Promise.reject(new Error('no')), homeDirectory: '/nowhere' };
}

const caseWith =
  (subject: Readonly<Record<string, Format>>): FuzzCase =>
  async (random) => {
    const [name, format] = random.pick(Object.entries(subject));
    const text = format.make(random);
    const result = await attempt(() => format.read(text));
    if ('error' in result) {
      return { end: `${name}: refused`, problems: [...checkError(result.error), ...checkLine(result.error, text)] };
    }
    const { value } = result;
    return { end: `${name}: read`, problems: [...(await checkAgain(value, format)), ...checkTypes(value)] };
  };

/** A line that is there. */
function checkLine(error: unknown, text: string): readonly string[] {
  const line = fileLine.exec(error instanceof Error ? error.message : '')?.groups?.['line'];
  const count = text.split('\n').length;
  return line === undefined || (Number(line) >= 1 && Number(line) <= count) ? [] : [`line ${line} of ${count}`];
}

/** What was read, written and read again is the same. */
async function checkAgain(value: unknown, { print, read }: Format): Promise<FuzzResult['problems']> {
  if (print === undefined) {
    return [];
  }
  const again = await attempt(() => read(print(value)));
  return 'value' in again && isDeepStrictEqual(again.value, value) ? [] : [`read again it differs: ${print(value)}`];
}

/** Nothing of a file may change what all objects have. */
function checkTypes(value: unknown): readonly string[] {
  const isPolluted = Object.keys(Object.prototype).length > 0 || 'image' in {};
  const hasOwn = typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__');
  return isPolluted || hasOwn ? ['a file changed the prototype of objects'] : [];
}

function brokenFormat(name: string, change: Partial<Format>): FuzzCase {
  const format = formats[name];
  return caseWith(format === undefined ? {} : { [name]: { ...format, ...change } });
}

export const configuration: FuzzTarget = {
  name: 'configuration and other files',
  runCase: caseWith(formats),
  ends: Object.keys(formats).flatMap((name) => [`${name}: read`, `${name}: refused`]),
  planted: {
    'an error of the parser comes through': brokenFormat('inventory', { read: (text) => JSON.parse(text) as unknown }),
    'the line is counted from the end': brokenFormat('configuration', {
      read: (text) => parseConfigFile(`${text}${'\n'.repeat(9)}unknown: 1`, file),
    }),
    'a value is quoted': brokenFormat('kubeconfig', {
      read: (text) => parseKubeconfig(text, `${file} ${/token: .*/.exec(text)?.[0] ?? ''}`),
    }),
    'one field is forgotten': brokenFormat('inventory', {
      print: (machines) => stringify({ machines }).replaceAll(/zone: .*/g, ''),
    }),
  },
};
