import type { AwsConfig } from '../../../clouds/aws/config.ts';

/** For tests that are about something else. */
export const awsConfig: AwsConfig = {
  roleAnnotations: [],
  externalIdKey: 'example.com/external-id',
  scopes: [],
  nodeIpFamilies: ['ipv4'],
};
