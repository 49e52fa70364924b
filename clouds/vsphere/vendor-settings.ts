import { Failure } from '../../lib/failure.ts';
import { readYaml } from '../../lib/config/read-yaml.ts';
import { readIniSettings } from '../../lib/config/vendor-settings.ts';
import type { VendorSetting } from '../../lib/config/vendor-settings.ts';

/**
 * The settings of vsphere.conf. Its two formats have the same settings: `insecure-flag` of `[VirtualCenter "a"]` in INI is
 * `insecureFlag` of `vcenter: a:` in YAML. Here both have the key `vcenter.insecureflag` and the subsection `a`.
 */
export function readVsphereSettings(text: string, file: string): readonly VendorSetting[] {
  return startsWithSection.test(text) ? readIniSettings(text, file).map(normalised) : readNestedYaml(text, file);
}

const startsWithSection = /^\s*(?:[;#].*\n\s*)*\[/;

function normalised(setting: VendorSetting): VendorSetting {
  const key = setting.key.replaceAll('-', '').replace(/^virtualcenter\./, 'vcenter.');
  return { ...setting, key };
}

function readNestedYaml(text: string, file: string): readonly VendorSetting[] {
  const yaml = readYaml(text, {});
  if (yaml.kind === 'unreadable') {
    const where = `${file}, line ${yaml.line}`;
    throw new Failure('misconfigured', `${where}: is neither YAML nor INI (${yaml.reason})`, { remedy: 'correct it' });
  }
  return entriesOf(yaml.value).flatMap(([section, value]) => {
    if (section !== 'vcenter') return settingsOf(section, '', value);
    return entriesOf(value).flatMap(([name, inside]) => settingsOf(section, name, inside));
  });
}

function settingsOf(section: string, subsection: string, value: unknown): readonly VendorSetting[] {
  return entriesOf(value).flatMap(([name, inside]) => {
    const texts = (Array.isArray(inside) ? (inside as readonly unknown[]) : [inside]).filter(isScalar).map(String);
    const key = `${section}.${name}`.toLowerCase();
    const shown = [section, ...(subsection === '' ? [] : [subsection]), name].join('.');
    return texts.join('') === '' ? [] : [{ name: shown, key, subsection, value: texts.join(',') }];
  });
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
