import { dirname } from 'node:path';
import { Failure } from '../../../lib/failure.ts';
import { readYaml } from '../../../lib/config/read-yaml.ts';
import { printable } from '../../../lib/printable.ts';
import type { Environment } from '../../../lib/environment.ts';
import type { Host } from '../../../lib/host.ts';
import { settingsInVariables } from './environment.ts';

/** The settings of one cloud in the words of clouds.yaml, wherever they come from. Its values may be secrets. */
export interface ConnectionSettings {
  readonly source: string;
  /** Of `auth` or beside it. Absent also if it is empty. */
  value(key: string): string | undefined;
  required(key: string): string;
  flag(key: string): boolean | undefined;
  /** `what` completes a sentence that begins with the source. */
  mistake(what: string, remedy: string): Failure;
}

export interface SettingsSelection {
  /** The entry of clouds.yaml that our configuration names. */
  readonly cloud: string | undefined;
  readonly cloudsFile: string | undefined;
}

export interface SettingsInputs {
  readonly env: Environment;
  readonly host: Pick<Host, 'readText' | 'homeDirectory'>;
}

/**
 * The entry of clouds.yaml that the configuration or OS_CLOUD names; else the variables, if they have OS_AUTH_URL; else
 * the only entry. So do openstacksdk and its command line:
 * https://docs.openstack.org/openstacksdk/latest/user/config/configuration.html
 */
export async function readConnectionSettings(
  selection: SettingsSelection,
  inputs: SettingsInputs,
): Promise<ConnectionSettings> {
  const { env } = inputs;
  const named = selection.cloud ?? nonEmpty(env['OS_CLOUD']);
  const isInVariables = named === undefined && nonEmpty(env['OS_AUTH_URL']) !== undefined;
  if (isInVariables) return settingsOf('the OS_* variables', settingsInVariables(env));
  const file = await findFile(cloudsFiles(selection, inputs), inputs.host);
  if (file === undefined) throw noCredentials(named);
  const secure = await findFile(secureFiles(selection, inputs), inputs.host);
  const clouds = cloudsIn(file);
  const name = named ?? onlyName(clouds, file.path);
  const values = flattened(clouds[name]);
  if (values === undefined) throw noEntry(name, file.path);
  const secrets = secure === undefined ? undefined : flattened(cloudsIn(secure)[name]);
  const region = selection.cloud === undefined ? nonEmpty(env['OS_REGION_NAME']) : undefined;
  const all = { ...values, ...secrets, ...(region !== undefined && { region_name: region }) };
  return settingsOf(`${printable(name)} in ${file.path}`, all);
}

type SettingValues = Readonly<Record<string, unknown>>;

const directories = (home: string): readonly string[] => [`${home}/.config/openstack`, '/etc/openstack'];
const suffixes = ['yaml', 'yml', 'json'];

/** Not the current directory: all who can write there would choose the cloud. */
function cloudsFiles({ cloudsFile }: SettingsSelection, { env, host }: SettingsInputs): readonly string[] {
  const named = cloudsFile ?? nonEmpty(env['OS_CLIENT_CONFIG_FILE']);
  return named === undefined ? filesNamed('clouds', directories(host.homeDirectory)) : [named];
}

function secureFiles({ cloudsFile }: SettingsSelection, { env, host }: SettingsInputs): readonly string[] {
  const named = nonEmpty(env['OS_CLIENT_SECURE_FILE']);
  if (named !== undefined) return [named];
  const clouds = cloudsFile ?? nonEmpty(env['OS_CLIENT_CONFIG_FILE']);
  return filesNamed('secure', clouds === undefined ? directories(host.homeDirectory) : [dirname(clouds)]);
}

function filesNamed(name: string, inDirectories: readonly string[]): readonly string[] {
  return inDirectories.flatMap((directory) => suffixes.map((suffix) => `${directory}/${name}.${suffix}`));
}

interface FoundFile {
  readonly path: string;
  readonly text: string;
}

async function findFile(paths: readonly string[], host: SettingsInputs['host']): Promise<FoundFile | undefined> {
  for (const path of paths) {
    const text = await host.readText(path);
    if (text !== undefined) return { path, text };
  }
  return undefined;
}

/** JSON is YAML too. */
function cloudsIn({ path, text }: FoundFile): SettingValues {
  const yaml = readYaml(text, {});
  if (yaml.kind === 'unreadable') {
    throw new Failure('misconfigured', `${path}, line ${yaml.line}: is not YAML (${yaml.reason})`, {
      remedy: 'correct it',
    });
  }
  const clouds = isRecord(yaml.value) ? yaml.value['clouds'] : undefined;
  if (isRecord(clouds)) return clouds;
  throw new Failure('misconfigured', `${path} has no clouds`, { remedy: 'write a clouds.yaml of OpenStack' });
}

/** `auth` wins over what is beside it. Keys may have hyphens. */
function flattened(entry: unknown): SettingValues | undefined {
  if (!isRecord(entry)) return undefined;
  const { auth, ...others } = entry;
  const all = [...Object.entries(others), ...(isRecord(auth) ? Object.entries(auth) : [])];
  return Object.fromEntries(all.map(([key, value]) => [key.replaceAll('-', '_'), value]));
}

function onlyName(clouds: SettingValues, path: string): string {
  const [name, ...others] = Object.keys(clouds);
  if (name !== undefined && others.length === 0) return name;
  throw new Failure('misconfigured', `${path} has ${others.length === 0 ? 'no' : 'several'} clouds`, {
    remedy: 'choose one with `cloud` in openstack.scopes of the configuration, or with OS_CLOUD',
  });
}

function settingsOf(source: string, values: SettingValues): ConnectionSettings {
  const value = (key: string): string | undefined => {
    const found = Object.hasOwn(values, key) ? values[key] : undefined;
    const isScalar = typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean';
    return isScalar ? nonEmpty(String(found)) : undefined;
  };
  const mistake: ConnectionSettings['mistake'] = (what, remedy) =>
    new Failure('misconfigured', `${source} ${what}`, { remedy });
  return {
    source,
    value,
    mistake,
    required: (key) => {
      const found = value(key);
      if (found === undefined) throw mistake(`has no ${key}`, 'set it');
      return found;
    },
    flag: (key) => {
      const text = value(key)?.toLowerCase();
      return text === undefined ? undefined : /^(?:true|yes|1)$/.test(text);
    },
  };
}

function noCredentials(cloud: string | undefined): Failure {
  const what =
    cloud === undefined ? 'no OS_AUTH_URL and no clouds.yaml' : `no clouds.yaml for the cloud ${printable(cloud)}`;
  return new Failure('misconfigured', `there are no credentials for OpenStack: ${what}`, {
    remedy: 'mount a clouds.yaml with an application credential, and name it in openstack.cloudsFile',
  });
}

function noEntry(name: string, path: string): Failure {
  return new Failure('misconfigured', `${path} has no cloud ${printable(name)}`, {
    remedy: 'correct `cloud` in openstack.scopes of the configuration, or OS_CLOUD',
  });
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
