/**
 * What holds when the configuration says nothing. Apart from the schema, so that a program without a configuration file
 * need not load one.
 */
export const defaultRoleAnnotations = ['eks.amazonaws.com/ecr-role-arn', 'eks.amazonaws.com/role-arn'];

export const defaultNodeIpFamilies: ('ipv4' | 'ipv6')[] = ['ipv4'];

export const defaultConfig = {
  registries: [],
  dockerConfigFiles: [],
  deletion: {},
  aws: { roleAnnotations: defaultRoleAnnotations, scopes: [], nodeIpFamilies: defaultNodeIpFamilies },
  static: {},
};
