import { printable } from '../printable.ts';
import type { VendorSetting } from './vendor-settings.ts';

/** What becomes of a setting. */
export type SettingFate =
  /** It is in our configuration. */
  | 'replaced'
  /** The programs find it out, have no use for it, or the vendor's controller does not use it either. */
  | 'not needed'
  /** For what stays with the vendor's controller. */
  | "the vendor's"
  | 'no counterpart'
  | { readonly variable: string; readonly value: string }
  /** Its value is never shown. */
  | { readonly secretVariable: string };

/** The first pattern that matches a key decides. */
export type FateTable = ReadonlyArray<readonly [keys: RegExp, fate: SettingFate]>;

export function fateIn(table: FateTable, key: string): SettingFate {
  return table.find(([keys]) => keys.test(key))?.[1] ?? 'no counterpart';
}

/** What becomes of the settings that our configuration does not have, one line each. */
export function remarksOn(
  settings: readonly VendorSetting[],
  fateOf: (setting: VendorSetting) => SettingFate,
): readonly string[] {
  const fates = settings.map((setting) => ({ name: printable(setting.name), fate: fateOf(setting) }));
  const namesWith = (fate: SettingFate): string =>
    [...new Set(fates.flatMap((each) => (each.fate === fate ? [each.name] : [])))].join(', ');
  const vendors = namesWith("the vendor's");
  const notNeeded = namesWith('not needed');
  return [
    ...fates.flatMap(({ name, fate }) => (typeof fate === 'object' ? [variableRemark(name, fate)] : [])),
    ...(vendors === ''
      ? []
      : [`only the vendor's controller uses, for load balancers, routes and volumes: ${vendors}`]),
    ...(notNeeded === '' ? [] : [`not needed: ${notNeeded}`]),
    ...fates.flatMap(({ name, fate }) => (fate === 'no counterpart' ? [`${name} has no counterpart`] : [])),
  ];
}

function variableRemark(name: string, fate: Extract<SettingFate, object>): string {
  if ('variable' in fate) return `${name}: set the environment variable ${fate.variable}=${printable(fate.value)}`;
  return `${name}: a secret, not shown here; set the environment variable ${fate.secretVariable} to it`;
}
