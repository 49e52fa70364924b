import { fateIn, remarksOn } from '../../lib/config/setting-fates.ts';
import type { FateTable, SettingFate } from '../../lib/config/setting-fates.ts';
import { readIniSettings } from '../../lib/config/vendor-settings.ts';
import type { VendorSetting } from '../../lib/config/vendor-settings.ts';
import type { VendorReplacement } from '../../schemas/vendor-config.ts';

/**
 * Replaces the cloud-config of Google's controller (gce.conf), whose settings are in
 * https://github.com/kubernetes/cloud-provider-gcp/blob/v36.3.8/providers/gce/gce.go (ConfigGlobal)
 */
export function replaceGcpConfig(text: string, file: string): VendorReplacement {
  const settings = readIniSettings(text, file);
  const valueOf = (key: string): string | undefined => settings.find((setting) => setting.key === key)?.value;
  const projectId = valueOf('global.project-id');
  const compute = computeEndpoint(valueOf('global.api-endpoint'));
  const gcp = {
    ...(projectId !== undefined && { projects: [{ name: 'default', projectId }] }),
    ...(compute !== undefined && { endpoints: { compute } }),
  };
  return { config: Object.keys(gcp).length > 0 ? { gcp } : {}, remarks: remarksOn(settings, fateOf) };
}

/** Google's own endpoint is the default. The path is always the same. */
function computeEndpoint(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return url;
  const { origin, hostname } = new URL(url);
  return /^(?:www|compute)\.googleapis\.com$/.test(hostname) ? undefined : origin;
}

function fateOf({ key, value }: VendorSetting): SettingFate {
  // The word stands for the credentials that Google's libraries find.
  if (key === 'global.token-url' && value === 'nil') return 'not needed';
  return fateIn(fates, key);
}

const fates: FateTable = [
  [/^global\.(?:project-id|api-endpoint)$/, 'replaced'],
  // Every zone of the project is looked up.
  [/^global\.(?:regional|multizone|local-zone)$/, 'not needed'],
  [/^global\.(?:network-project-id|network-name|subnetwork-name|stack-type|secondary-range-name)$/, "the vendor's"],
  [/^global\.(?:node-tags|node-instance-prefix|container-api-endpoint|alpha-features)$/, "the vendor's"],
];
