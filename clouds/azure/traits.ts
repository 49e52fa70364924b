import type { CloudTraits } from '../cloud.ts';

export const traits: CloudTraits = {
  name: 'azure',
  aliases: [],
  capabilities: ['registry', 'identity', 'metadata', 'instances', 'notices'],
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
      // Not our own configuration as JSON, where such keys are below `azure`.
      looksLike:
        /^\s*\{(?![^]*"azure"\s*:\s*\{)[^]*"(?:tenantId|subscriptionId|aadClient\w+|resourceGroup|vmType|use\w+Extension)"\s*:/i,
      replacedBy: 'azure',
    },
    {
      whose: 'the Azure cloud provider (azure.yaml)',
      looksLike:
        /^(?!\s*\{)(?:[^]*\n)?["']?(?:tenantId|subscriptionId|aadClient\w+|resourceGroup|vmType|use\w+Extension)["']?[ \t]*:/i,
      replacedBy: 'azure',
    },
  ],
};
