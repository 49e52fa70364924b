import t from 'tap';
import { refusalOf, testVendorConfigs } from '../vendor-config.ts';

const subscriptionId = '11111111-2222-4333-8444-555555555555';
const tenantId = '66666666-7777-4888-8999-aaaaaaaaaaaa';
const clientId = 'bbbbbbbb-cccc-4ddd-8eee-ffffffffffff';
const vendors = "# only the vendor's controller uses, for load balancers, routes and volumes:";
const scope = ['azure:', '  scopes:', '    - name: default', `      subscriptionId: ${subscriptionId}`];

await testVendorConfigs(t, /format of the Azure cloud provider \(azure\.(?:json|yaml)\), not in ours$/, [
  {
    name: 'https://cloud-provider-azure.sigs.k8s.io/install/configs/, with ids',
    text: `{
    "cloud":"AzurePublicCloud",
    "tenantId": "${tenantId}",
    "aadClientId": "${clientId}",
    "aadClientSecret": "hidden",
    "subscriptionId": "${subscriptionId}",
    "resourceGroup": "my-group",
    "location": "eastus",
    "subnetName": "a",
    "securityGroupName": "b",
    "securityGroupResourceGroup": "c",
    "vnetName": "d",
    "vnetResourceGroup": "e",
    "routeTableName": "f",
    "primaryAvailabilitySetName": "g",
    "routeTableResourceGroup": "h",
    "cloudProviderBackoff": false,
    "useManagedIdentityExtension": false,
    "useInstanceMetadata": true
}`,
    lines: [
      ...scope,
      '      resourceGroups:',
      '        - my-group',
      `# tenantId: set the environment variable AZURE_TENANT_ID=${tenantId}`,
      `# aadClientId: set the environment variable AZURE_CLIENT_ID=${clientId}`,
      '# aadClientSecret: a secret, not shown here; set the environment variable AZURE_CLIENT_SECRET to it',
      `${vendors} subnetName, securityGroupName, securityGroupResourceGroup, vnetName, vnetResourceGroup, routeTableName, primaryAvailabilitySetName, routeTableResourceGroup`,
      '# not needed: cloud, location, cloudProviderBackoff, useManagedIdentityExtension, useInstanceMetadata',
    ],
  },
  {
    name: 'the placeholders of examples/azure.json in cloud-provider-azure',
    text: `{
    "cloud": "AzurePublicCloud",
    "tenantId": "<tenant-id>",
    "subscriptionId": "<subscription-id>",
    "resourceGroup": "<resource-group-name>",
    "vmType": "<vm-type>",
    "cloudProviderBackoffExponent": 1.5,
    "cloudProviderRatelimit": true,
    "userAssignedIdentityID": "",
    "loadBalancerSku": "<loadbalancer-sku>",
    "excludeMasterFromStandardLB": false,
    "maximumLoadBalancerRuleCount": 250,
    "tags": "a=b,c=d"
}`,
    isComplete: false,
    lines: [
      'azure:',
      '  scopes:',
      '    - name: default',
      '      subscriptionId:',
      '      resourceGroups:',
      '        - <resource-group-name>',
      '# to be filled in: azure.scopes[0].subscriptionId must be the id of a subscription',
      `${vendors} loadBalancerSku, excludeMasterFromStandardLB, maximumLoadBalancerRuleCount, tags`,
      '# not needed: cloud, tenantId, vmType, cloudProviderBackoffExponent, cloudProviderRatelimit',
    ],
  },
  {
    name: 'a managed identity in the government’s cloud, as AKS and Cluster API write it',
    text: JSON.stringify({
      cloud: 'AzureUSGovernmentCloud',
      tenantId,
      subscriptionId,
      aadClientId: 'msi',
      aadClientSecret: 'msi-hidden',
      resourceGroup: 'MC_Group',
      vmType: 'vmss',
      useManagedIdentityExtension: true,
      userAssignedIdentityID: clientId,
      maximumLoadBalancerRuleCount: 250,
      tagsMap: { a: 'hidden' },
    }),
    lines: [
      'azure:',
      '  resourceManager: https://management.usgovcloudapi.net',
      ...scope.slice(1),
      '      resourceGroups:',
      '        - MC_Group',
      `      nodeIdentity: ${clientId}`,
      `${vendors} maximumLoadBalancerRuleCount, tagsMap`,
      '# not needed: tenantId, aadClientId, aadClientSecret, vmType, useManagedIdentityExtension',
    ],
  },
  {
    name: 'YAML, a certificate, other spellings, and a long grace period',
    text: `cloud: AzureChinaCloud
tenantID: ${tenantId}
subscriptionID: ${subscriptionId}
aadClientID: ${clientId}
aadClientCertPath: /etc/kubernetes/certs/client.pem
aadClientCertPassword: "hidden"
nodeInstanceNotFoundGracePeriodInSeconds: 900
`,
    lines: [
      'azure:',
      '  resourceManager: https://management.chinacloudapi.cn',
      ...scope.slice(1),
      'deletion:',
      '  notFoundMinAgeMs: 900000',
      `# tenantID: set the environment variable AZURE_TENANT_ID=${tenantId}`,
      `# aadClientID: set the environment variable AZURE_CLIENT_ID=${clientId}`,
      '# aadClientCertPath: set the environment variable AZURE_CLIENT_CERTIFICATE_PATH=/etc/kubernetes/certs/client.pem',
      '# aadClientCertPassword: a secret, not shown here; set the environment variable AZURE_CLIENT_CERTIFICATE_PASSWORD to it',
      '# not needed: nodeInstanceNotFoundGracePeriodInSeconds',
    ],
  },
  {
    name: 'workload identity, and what has no counterpart',
    text: JSON.stringify({
      cloud: 'AzureStackCloud',
      resourceManagerEndpoint: 'https://management.stack.example/',
      identitySystem: 'adfs',
      tenantId,
      aadClientId: clientId,
      aadFederatedTokenFile: '/var/run/secrets/azure/tokens/token',
      useFederatedWorkloadIdentityExtension: true,
      auxiliaryTokenProvider: { secretName: 'hidden' },
      userAgent: 'hidden',
      password: 'hidden',
    }),
    lines: [
      'azure:',
      '  resourceManager: https://management.stack.example/',
      `# tenantId: set the environment variable AZURE_TENANT_ID=${tenantId}`,
      `# aadClientId: set the environment variable AZURE_CLIENT_ID=${clientId}`,
      '# aadFederatedTokenFile: set the environment variable AZURE_FEDERATED_TOKEN_FILE=/var/run/secrets/azure/tokens/token',
      '# not needed: useFederatedWorkloadIdentityExtension',
      '# cloud has no counterpart',
      '# identitySystem has no counterpart',
      '# auxiliaryTokenProvider has no counterpart',
      '# userAgent has no counterpart',
      '# password has no counterpart',
    ],
  },
]);

await t.test('without a subscription the managed identity is chosen by a variable', async (t) => {
  const text = JSON.stringify({ useManagedIdentityExtension: true, userAssignedIdentityID: clientId });
  const { details } = await refusalOf(text);
  t.ok(details.includes(`# userAssignedIdentityID: set the environment variable AZURE_CLIENT_ID=${clientId}`));
});

await t.test('a value cannot begin a line of its own', async (t) => {
  const text = JSON.stringify({ tenantId: 'a\nregistries: []', aadClientId: 'b', aadClientSecret: 'hidden' });
  const { details } = await refusalOf(text);
  t.ok(
    details.every((line) => line.startsWith('# ')),
    details.join('\n'),
  );
});

await t.test('a file that cannot be read is named with its line, and not quoted', async (t) => {
  const failure = await refusalOf('{\n  "tenantId": "a",\n  "aadClientSecret": "hidden" "b"\n}');
  t.match(failure.message, /^\/etc\/cloud\.conf, line \d: is neither JSON nor YAML \(/);
  t.notMatch(failure.message + failure.remedy, /hidden/);
});
