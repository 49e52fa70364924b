import { fateIn, remarksOn } from '../../lib/config/setting-fates.ts';
import type { FateTable, SettingFate } from '../../lib/config/setting-fates.ts';
import { readYamlSettings } from '../../lib/config/vendor-settings.ts';
import type { VendorSetting } from '../../lib/config/vendor-settings.ts';
import type { VendorReplacement } from '../../schemas/vendor-config.ts';
import { azureClouds, publicAzure } from './endpoints.ts';

/**
 * Replaces the cloud-config of Azure's controller (azure.json), whose settings are in
 * https://github.com/kubernetes-sigs/cloud-provider-azure/blob/v1.36.5/pkg/provider/config/azure.go
 * and https://cloud-provider-azure.sigs.k8s.io/install/configs/
 */
export function replaceAzureConfig(text: string, file: string): VendorReplacement {
  const settings = readYamlSettings(text, file);
  const valueOf = (key: string): string | undefined => settings.find((setting) => setting.key === key)?.value;
  const [auth, subscriptionId, resourceGroup] = [authOf(valueOf), valueOf('subscriptionid'), valueOf('resourcegroup')];
  const nodeIdentity = auth === 'managed identity' ? valueOf(selectedIdentity) : undefined;
  const resourceManager = valueOf('resourcemanagerendpoint') ?? resourceManagerOf(valueOf('cloud'));
  const scope = {
    name: 'default',
    subscriptionId,
    ...(resourceGroup !== undefined && { resourceGroups: [resourceGroup] }),
    ...(nodeIdentity !== undefined && { nodeIdentity }),
  };
  const azure = {
    ...(resourceManager !== undefined && { resourceManager }),
    ...(subscriptionId !== undefined && { scopes: [scope] }),
  };
  const notFoundMinAgeMs = Number(valueOf(gracePeriod) ?? 0) * 1_000;
  return {
    config: {
      ...(Object.keys(azure).length > 0 && { azure }),
      ...(notFoundMinAgeMs > defaultMinAgeMs && { deletion: { notFoundMinAgeMs } }),
    },
    remarks: remarksOn(settings, (setting) =>
      setting.key === selectedIdentity && nodeIdentity !== undefined && subscriptionId !== undefined
        ? 'replaced'
        : fateOf(setting, auth),
    ),
  };
}

const selectedIdentity = 'userassignedidentityid';
const gracePeriod = 'nodeinstancenotfoundgraceperiodinseconds';
/** `deletion.notFoundMinAgeMs`. A shorter one would only make deletions less safe. */
const defaultMinAgeMs = 300_000;

type Authentication = 'token file' | 'managed identity' | 'secret' | 'certificate' | 'none';

/** In the order of that controller (pkg/azclient/auth.go). */
function authOf(valueOf: (key: string) => string | undefined): Authentication {
  if (valueOf('usefederatedworkloadidentityextension') === 'true') return 'token file';
  if (valueOf('usemanagedidentityextension') === 'true') return 'managed identity';
  if (valueOf('aadclientsecret') !== undefined) return 'secret';
  return valueOf('aadclientcertpath') === undefined ? 'none' : 'certificate';
}

/** The names in pkg/azclient/cloud.go. Public Azure is the default. */
const registrySuffixes: Readonly<Record<string, string>> = {
  azurechinacloud: 'azurecr.cn',
  azureusgovernment: 'azurecr.us',
  azureusgovernmentcloud: 'azurecr.us',
};

function resourceManagerOf(cloudName: string | undefined): string | undefined {
  const suffix = registrySuffixes[cloudName?.toLowerCase() ?? ''];
  return azureClouds.find((each) => each !== publicAzure && each.registrySuffix === suffix)?.resourceManager;
}

function fateOf({ key, value }: VendorSetting, auth: Authentication): SettingFate {
  if (key === 'cloud') return fateOfCloud(value);
  if (key === 'identitysystem') return value === 'azure_ad' ? 'not needed' : 'no counterpart';
  const variable = variables[auth][key];
  if (variable !== undefined) return { variable, value };
  const secretVariable = secretVariables[auth][key];
  return secretVariable === undefined ? fateIn(fates, key) : { secretVariable };
}

function fateOfCloud(name: string): SettingFate {
  if (resourceManagerOf(name) !== undefined) return 'replaced';
  return /^azure(?:public)?cloud$/i.test(name) ? 'not needed' : 'no counterpart';
}

const application = { tenantid: 'AZURE_TENANT_ID', aadclientid: 'AZURE_CLIENT_ID' };
const variables: Readonly<Record<Authentication, Readonly<Record<string, string>>>> = {
  'token file': { ...application, aadfederatedtokenfile: 'AZURE_FEDERATED_TOKEN_FILE' },
  // Without a subscription there is no scope for it.
  'managed identity': { [selectedIdentity]: 'AZURE_CLIENT_ID' },
  secret: application,
  certificate: { ...application, aadclientcertpath: 'AZURE_CLIENT_CERTIFICATE_PATH' },
  none: {},
};
const secretVariables: typeof variables = {
  'token file': {},
  'managed identity': {},
  secret: { aadclientsecret: 'AZURE_CLIENT_SECRET' },
  certificate: { aadclientcertpassword: 'AZURE_CLIENT_CERTIFICATE_PASSWORD' },
  none: {},
};

const fates: FateTable = [
  [/^(?:subscriptionid|resourcegroup|resourcemanagerendpoint)$/, 'replaced'],
  // What is used to log in is handled before.
  [/^(?:tenantid|aadclient\w+|aadfederatedtokenfile|userassignedidentityid|use\w+extension)$/, 'not needed'],
  [/^(?:location|vmtype|useinstancemetadata|disableavailabilitysetnodes|enablevmssflexnodes)$/, 'not needed'],
  [/^(?:cloudproviderbackoff\w*|cloudproviderratelimit\w*|enableminimumretryafter|\w+ratelimit)$/, 'not needed'],
  [/^(?:disableapicallcache|\w+cachettlinseconds|listvmssvirtualmachineswithoutinstanceview)$/, 'not needed'],
  [/^(?:cloudconfigtype|disableazurestackcloud|nodeinstancenotfoundgraceperiodinseconds)$/, 'not needed'],
  [/^(?:vnet|subnet|securitygroup|route|primary|extendedlocation|networkresource|privatelink)\w+$/, "the vendor's"],
  [/^(?:tags|tagsmap|systemtags|clusterservice\w+|servicegatewayenabled|putvmssvmbatchsize)$/, "the vendor's"],
  [/^(?:\w*loadbalancer\w*|excludemasterfromstandardlb|disableoutboundsnat)$/, "the vendor's"],
  [/^(?:enablemigratetoipbasedbackendpoolapi|enableiptagmutationforexistingpublicip)$/, "the vendor's"],
];
