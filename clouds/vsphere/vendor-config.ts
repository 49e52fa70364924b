import { fateIn, remarksOn } from '../../lib/config/setting-fates.ts';
import type { FateTable, SettingFate } from '../../lib/config/setting-fates.ts';
import type { VendorSetting } from '../../lib/config/vendor-settings.ts';
import type { VendorReplacement } from '../../schemas/vendor-config.ts';
import { readVsphereSettings } from './vendor-settings.ts';

/**
 * Replaces the cloud-config of vCenter's own controller (vsphere.conf, in YAML or INI), whose settings are in
 * https://github.com/kubernetes/cloud-provider-vsphere/tree/60f6c5dfe164/pkg/common/config and
 * https://github.com/kubernetes/cloud-provider-vsphere/tree/60f6c5dfe164/pkg/cloudprovider/vsphere/config
 */
export function replaceVsphereConfig(text: string, file: string): VendorReplacement {
  const settings = readVsphereSettings(text, file);
  const valueOf = (key: string): string | undefined => settings.find((setting) => setting.key === key)?.value;
  const secretsDirectory = valueOf('global.secretsdirectory');
  const vcenters = vcenterNames(settings).map((name) => vcenterOf(name, settings, secretsDirectory !== undefined));
  const [zone, region] = [valueOf('labels.zone'), valueOf('labels.region')];
  const ipFamilies = listOf(valueOf('global.ipfamily') ?? valueOf('vcenter.ipfamily'));
  const addresses = addressesOf(valueOf);
  const vsphere = {
    ...(vcenters.length > 0 && { vcenters }),
    ...(secretsDirectory !== undefined && { secretsDirectory }),
    ...((zone ?? region) !== undefined && { tagCategories: present({ zone, region }) }),
    ...(ipFamilies.length > 0 && { ipFamilies }),
    ...(Object.keys(addresses).length > 0 && { addresses }),
  };
  return { config: { vsphere }, remarks: [...ownRemarks(settings), ...remarksOn(settings, fateOf)] };
}

type Settings = readonly VendorSetting[];

/** A server in the global section is a further vCenter. */
function vcenterNames(settings: Settings): readonly string[] {
  const sections = settings.flatMap(({ key, subsection }) => (key.startsWith('vcenter.') ? [subsection] : []));
  const globalServer = settings.find(({ key }) => key === 'global.server')?.value;
  const names = [...new Set(sections)];
  const servers = names.map((name) => inSection(name, 'server', settings) ?? name);
  return globalServer === undefined || servers.includes(globalServer) ? names : [...names, globalServer];
}

function inSection(name: string, key: string, settings: Settings): string | undefined {
  return settings.find((setting) => setting.key === `vcenter.${key}` && setting.subsection === name)?.value;
}

/** What its own section lacks is in the global one. `null`: the file does not have the path. */
function vcenterOf(section: string, settings: Settings, hasDirectory: boolean): object {
  const valueOf = (key: string): string | undefined =>
    inSection(section, key, settings) ?? settings.find((setting) => setting.key === `global.${key}`)?.value;
  const server = inSection(section, 'server', settings) ?? section;
  const [port, datacenters] = [valueOf('port'), listOf(valueOf('datacenters'))];
  const host = server.includes(':') ? `[${server}]` : server;
  return {
    name: nameFrom(section),
    server: port === undefined || port === '443' ? host : `${host}:${port}`,
    ...(datacenters.length > 0 && { datacenters }),
    ...present({ caFile: valueOf('cafile'), thumbprint: valueOf('thumbprint') }),
    ...(!hasDirectory && { usernameFile: null, passwordFile: null }),
  };
}

function nameFrom(text: string): string {
  return (
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 63) || 'vcenter'
  );
}

function addressesOf(valueOf: (key: string) => string | undefined): Readonly<Record<string, unknown>> {
  const networks = (key: string): readonly string[] | undefined => {
    const list = listOf(valueOf(`nodes.${key}`));
    return list.length > 0 ? list : undefined;
  };
  return present({
    internalNetworks: networks('internalnetworksubnetcidr'),
    externalNetworks: networks('externalnetworksubnetcidr'),
    excludedFromInternal: networks('excludeinternalnetworksubnetcidr'),
    excludedFromExternal: networks('excludeexternalnetworksubnetcidr'),
    internalNetworkName: valueOf('nodes.internalvmnetworkname'),
    externalNetworkName: valueOf('nodes.externalvmnetworkname'),
  });
}

function listOf(text: string | undefined): readonly string[] {
  return (text ?? '').split(',').flatMap((part) => part.trim() || []);
}

function present(values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function ownRemarks(settings: Settings): readonly string[] {
  const has = (pattern: RegExp, value?: RegExp): boolean =>
    settings.some((setting) => pattern.test(setting.key) && (value?.test(setting.value) ?? true));
  return [
    ...(has(/\.secretname$/)
      ? [
          'the Secret with the credentials: mount it, and name the directory as vsphere.secretsDirectory instead of the files',
        ]
      : []),
    ...(has(/\.(?:user|password)$/)
      ? [
          'user and password: secrets, not shown here; write each into a file, or mount a Secret as vsphere.secretsDirectory',
        ]
      : []),
    ...(has(/\.insecureflag$/, /^true$/i)
      ? ['insecureFlag: the certificate is always checked; set thumbprint or caFile of the vCenter']
      : []),
  ];
}

function fateOf({ key }: VendorSetting): SettingFate {
  return fateIn(fates, key);
}

const fates: FateTable = [
  [/^(?:global|vcenter)\.(?:server|port|datacenters|cafile|thumbprint|ipfamily|user|password|secretname)$/, 'replaced'],
  [/^(?:global\.secretsdirectory|labels\.(?:zone|region))$/, 'replaced'],
  [/^nodes\.(?:(?:exclude)?(?:internal|external)networksubnetcidr|(?:internal|external)vmnetworkname)$/, 'replaced'],
  [/^(?:global|vcenter)\.(?:insecureflag|secretnamespace|soaproundtripcount|apidisable|apibinding)$/, 'not needed'],
  [/^(?:loadbalancer|loadbalancerclass|route|nsxt|workspace|disk|network)\./, "the vendor's"],
];
