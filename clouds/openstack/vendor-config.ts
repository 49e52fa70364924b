import { fateIn, remarksOn } from '../../lib/config/setting-fates.ts';
import type { FateTable, SettingFate } from '../../lib/config/setting-fates.ts';
import { readIniSettings } from '../../lib/config/vendor-settings.ts';
import type { VendorSetting } from '../../lib/config/vendor-settings.ts';
import type { VendorReplacement } from '../../schemas/vendor-config.ts';

/**
 * Replaces the cloud.conf of OpenStack's controller, whose settings are in
 * https://github.com/kubernetes/cloud-provider-openstack/blob/c453fb7c9/pkg/openstack/openstack.go (Config) and
 * https://github.com/kubernetes/cloud-provider-openstack/blob/c453fb7c9/pkg/client/client.go (AuthOpts)
 */
export function replaceOpenstackConfig(text: string, file: string): VendorReplacement {
  const settings = readIniSettings(text, file);
  const valuesOf = (key: string): readonly string[] =>
    settings.flatMap((setting) => (setting.key === key ? [setting.value] : []));
  const region = valuesOf('global.region').at(-1);
  const cloudsFile = valuesOf('global.clouds-file').at(-1);
  const cloud = valuesOf('global.cloud').at(-1);
  const router = valuesOf('route.router-id').map((routerId) => ({ routerId }));
  const publicNetworks = valuesOf('networking.public-network-name');
  const internalNetworks = valuesOf('networking.internal-network-name');
  const sortOrder = (valuesOf('networking.address-sort-order').at(-1) ?? '').split(',').map((each) => each.trim());
  const openstack = {
    ...(cloudsFile !== undefined && { cloudsFile }),
    ...(region !== undefined && { region }),
    ...(cloud !== undefined && { scopes: [{ name: 'default', cloud }] }),
    ...router.at(-1),
    ...(publicNetworks.length > 0 && { publicNetworks }),
    ...(internalNetworks.length > 0 && { internalNetworks }),
    ...(sortOrder[0] !== '' && { addressSortOrder: sortOrder }),
    ...(valuesOf('networking.ipv6-support-disabled').at(-1) === 'true' && { ipv6: false }),
  };
  return { config: Object.keys(openstack).length > 0 ? { openstack } : {}, remarks: remarksOn(settings, fateOf) };
}

function fateOf({ key, value }: VendorSetting): SettingFate {
  const variable = Object.hasOwn(variables, key) ? variables[key] : undefined;
  if (variable !== undefined) return { variable, value };
  const secretVariable = Object.hasOwn(secretVariables, key) ? secretVariables[key] : undefined;
  if (secretVariable !== undefined) return { secretVariable };
  if (key === 'global.tls-insecure' && value !== 'true') return 'not needed';
  return fateIn(fates, key);
}

const variables: Readonly<Record<string, string>> = {
  'global.auth-url': 'OS_AUTH_URL',
  'global.os-endpoint-type': 'OS_INTERFACE',
  'global.ca-file': 'OS_CACERT',
  'global.username': 'OS_USERNAME',
  'global.user-id': 'OS_USER_ID',
  'global.tenant-id': 'OS_PROJECT_ID',
  'global.tenant-name': 'OS_PROJECT_NAME',
  'global.domain-id': 'OS_DOMAIN_ID',
  'global.domain-name': 'OS_DOMAIN_NAME',
  'global.user-domain-id': 'OS_USER_DOMAIN_ID',
  'global.user-domain-name': 'OS_USER_DOMAIN_NAME',
  'global.tenant-domain-id': 'OS_PROJECT_DOMAIN_ID',
  'global.tenant-domain-name': 'OS_PROJECT_DOMAIN_NAME',
  'global.trust-id': 'OS_TRUST_ID',
  'global.trustee-id': 'OS_USER_ID',
  'global.application-credential-id': 'OS_APPLICATION_CREDENTIAL_ID',
  'global.application-credential-name': 'OS_APPLICATION_CREDENTIAL_NAME',
};
const secretVariables: typeof variables = {
  'global.password': 'OS_PASSWORD',
  'global.trustee-password': 'OS_PASSWORD',
  'global.application-credential-secret': 'OS_APPLICATION_CREDENTIAL_SECRET',
  'global.token': 'OS_TOKEN',
};

const fates: FateTable = [
  [/^global\.(?:region|clouds-file|cloud)$/, 'replaced'],
  [/^global\.use-clouds$/, 'not needed'],
  [/^networking\./, 'replaced'],
  [/^route\.router-id$/, 'replaced'],
  // The controller does not read metadata, and an agent tries what there is.
  [/^metadata\./, 'not needed'],
  [/^(?:loadbalancer|loadbalancerclass|route)\./, "the vendor's"],
];
