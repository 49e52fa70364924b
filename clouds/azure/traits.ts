import type { CloudTraits } from '../cloud.ts';

export const traits: CloudTraits = {
  name: 'azure',
  aliases: [],
  capabilities: ['registry', 'identity', 'metadata', 'instances'],
  providerId: {
    pattern: /^azure:\/\/\//,
    examples: [
      'azure:///subscriptions/1/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/vm',
      'azure:///subscriptions/1/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/s/virtualMachines/0',
    ],
  },
  registryHosts: /\.azurecr\.(?:io|us|cn|de)$/,
  hostInputs: { variablePrefixes: ['AZURE_', 'IDENTITY_', 'IMDS_', 'MSAL_', 'MSI_'], homeFiles: [] },
  labelPrefixes: ['topology.kubernetes.azure.com/'],
  lookAlikeHosts: [/azurecr|azure-cr|azurecontainer|(?:^|\.)azure\.|microsoft|\.windows\.net$/],
  vendorConfigs: [
    {
      whose: 'the Azure cloud provider (azure.json)',
      looksLike: /^\s*\{[^]*"(?:tenantId|subscriptionId|aadClientId)"\s*:/,
      replacedBy: 'azure',
    },
    {
      whose: 'the Azure cloud provider (azure.yaml)',
      looksLike: /^(?:tenantId|subscriptionId|aadClientId)\s*:/m,
      replacedBy: 'azure',
    },
  ],
};
