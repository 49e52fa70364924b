const ipv4: 'ipv4' | 'ipv6' = 'ipv4';

export const awsDefaults = {
  roleAnnotations: ['eks.amazonaws.com/ecr-role-arn', 'eks.amazonaws.com/role-arn'],
  scopes: [],
  routeTables: [],
  nodeIpFamilies: [ipv4],
};
