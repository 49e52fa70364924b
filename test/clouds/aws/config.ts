import type { AwsConfig } from '../../../schemas/config/aws.ts';

/** For tests that are about something else. */
export const awsConfig: AwsConfig = {
  roleAnnotations: [],
  scopes: [],
  routeTables: [],
  nodeIpFamilies: ['ipv4'],
};
