import { Failure } from '../failure.ts';
import { readYaml } from './read-yaml.ts';

/** One setting of a vendor's configuration file. One without a value is left out. */
export interface VendorSetting {
  /** As in the file, for messages. */
  readonly name: string;
  /** In lower case, because the vendors do not distinguish case; in an INI file with the section: `global.zone`. */
  readonly key: string;
  /** The name of the INI section's subsection. */
  readonly subsection: string;
  /** Empty for a list or a map. */
  readonly value: string;
}

/** The settings at the top of a YAML file. JSON is YAML too. */
export function readYamlSettings(text: string, file: string): readonly VendorSetting[] {
  const yaml = readYaml(text, {});
  if (yaml.kind === 'unreadable') throw unreadable(file, yaml.line, `is neither JSON nor YAML (${yaml.reason})`);
  const settings = typeof yaml.value === 'object' && yaml.value !== null ? Object.entries(yaml.value) : [];
  return settings.flatMap(([name, value]: readonly [string, unknown]) =>
    value === null || value === '' ? [] : [{ name, key: name.toLowerCase(), subsection: '', value: scalarText(value) }],
  );
}

function scalarText(value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? String(value) : '';
}

interface IniSection {
  readonly name: string;
  readonly subsection: string;
}

const header = /^\[\s*(?<name>[\w.-]+)(?:\s+"(?<subsection>[^"]*)")?\s*\]\s*(?:[;#].*)?$/;
const variable = /^(?<name>[a-z][\w-]*)\s*(?:=\s*(?<text>.*))?$/i;
/** A quoted part, a comment up to the end, or other text. */
const valuePart = /"(?<quoted>(?:[^"\\]|\\.)*)"|(?<comment>[;#].*)|(?<plain>[^";#]+)/g;

/** An INI file in the dialect of gcfg, which the vendors' controllers use: https://pkg.go.dev/gopkg.in/gcfg.v1 */
export function readIniSettings(text: string, file: string): readonly VendorSetting[] {
  const settings: VendorSetting[] = [];
  let inside: IniSection | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || /^[;#]/.test(trimmed)) continue;
    const next = readSection(trimmed);
    const setting = inside === undefined ? undefined : readVariable(trimmed, inside);
    if (next === undefined && setting === undefined) {
      throw unreadable(file, index + 1, 'is neither a section nor a setting of one');
    }
    if (setting !== undefined && setting.value !== '') settings.push(setting);
    inside = next ?? inside;
  }
  return settings;
}

function readSection(line: string): IniSection | undefined {
  const groups = header.exec(line)?.groups;
  return groups && { name: groups['name'] ?? '', subsection: groups['subsection'] ?? '' };
}

/** A variable without a value is true. */
function readVariable(line: string, { name: inside, subsection }: IniSection): VendorSetting | undefined {
  const groups = variable.exec(line)?.groups;
  if (groups === undefined) return undefined;
  const { name = '', text } = groups;
  const value = text === undefined ? 'true' : iniValue(text);
  const key = `${inside}.${name}`.toLowerCase();
  return { name: subsection === '' ? name : `${inside} "${subsection}" ${name}`, key, subsection, value };
}

function iniValue(text: string): string {
  const parts = [...text.matchAll(valuePart)].map(({ groups }) =>
    groups?.['quoted'] === undefined ? (groups?.['plain'] ?? '') : groups['quoted'].replaceAll(/\\(.)/g, '$1'),
  );
  return parts.join('').trim();
}

function unreadable(file: string, line: number, what: string): Failure {
  return new Failure('misconfigured', `${file}, line ${line}: ${what}`, { remedy: 'correct it' });
}
