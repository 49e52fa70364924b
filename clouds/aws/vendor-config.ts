import { fateIn, remarksOn } from '../../lib/config/setting-fates.ts';
import type { FateTable, SettingFate } from '../../lib/config/setting-fates.ts';
import { readIniSettings } from '../../lib/config/vendor-settings.ts';
import type { VendorSetting } from '../../lib/config/vendor-settings.ts';
import type { VendorReplacement } from '../../schemas/vendor-config.ts';
import { regionOfZone } from './provider-id.ts';

/**
 * Replaces the cloud-config of AWS' controller, whose settings are in
 * https://github.com/kubernetes/cloud-provider-aws/blob/v1.36.1/pkg/providers/v1/config/config.go
 */
export function replaceAwsConfig(text: string, file: string): VendorReplacement {
  const settings = readIniSettings(text, file);
  const valuesOf = (key: string): readonly string[] =>
    settings.filter((setting) => setting.key === key).map(({ value }) => value);
  const [zone = ''] = valuesOf('global.zone');
  const [region = regionOfZone(zone)] = valuesOf('global.region');
  const [roleArn] = valuesOf('global.rolearn');
  const [cluster] = valuesOf('global.kubernetesclusterid').map((clusterName) => ({ clusterName }));
  const routeTables = valuesOf('global.routetableid').slice(0, 1);
  const nodeIpFamilies = valuesOf('global.nodeipfamilies');
  const scope = { name: 'default', region: region ?? null, ...(roleArn !== undefined && { roleArn }) };
  const aws = {
    ...((region !== undefined || roleArn !== undefined) && { scopes: [scope] }),
    ...cluster,
    ...(routeTables.length > 0 && { routeTables: routeTables.map((id) => ({ id })) }),
    ...(nodeIpFamilies.length > 0 && { nodeIpFamilies }),
  };
  return {
    config: Object.keys(aws).length > 0 ? { aws } : {},
    remarks: remarksOn(settings, (setting) => fateOf(setting, settings)),
  };
}

function fateOf(setting: VendorSetting, settings: readonly VendorSetting[]): SettingFate {
  const { key, subsection, value } = setting;
  if (!key.startsWith('serviceoverride.')) return fateIn(globalFates, key);
  const service = settings.find((each) => each.key === 'serviceoverride.service' && each.subsection === subsection);
  const variable = endpointVariables[service?.value.toLowerCase() ?? ''];
  if (variable === undefined) return "the vendor's";
  return key === 'serviceoverride.url' ? endpointFate(variable, value) : fateIn(overrideFates, key);
}

/** A URL may hold a password. */
function endpointFate(variable: string, url: string): SettingFate {
  return /^https?:\/\/[\w.-]+(?::\d+)?\/?$/.test(url) ? { variable, value: url } : { secretVariable: variable };
}

const globalFates: FateTable = [
  [/^global\.(?:zone|region|rolearn|nodeipfamilies|routetableid|kubernetesclusterid)$/, 'replaced'],
  [/^global\.(?:disablestrictzonecheck|supportedtopologyinstancetypepattern)$/, 'not needed'],
  [/^global\.(?:vpc|subnetid|kubernetesclustertag|disablesecuritygroupingress)$/, "the vendor's"],
  [/^global\.(?:elbsecuritygroup|nlbsecuritygroupmode|clusterservice(?:shared)?loadbalancer\w*)$/, "the vendor's"],
];

/** The names of the services in the SDK of that controller. */
const endpointVariables: Readonly<Record<string, string>> = {
  ec2: 'AWS_ENDPOINT_URL_EC2',
  sts: 'AWS_ENDPOINT_URL_STS',
  ec2imds: 'AWS_EC2_METADATA_SERVICE_ENDPOINT',
};

const overrideFates: FateTable = [[/\.(?:service|region|signingregion|signingmethod)$/, 'not needed']];
