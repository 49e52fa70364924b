import type { AwsConfig } from '../../../clouds/aws/config.ts';

/** For tests that are about something else. */
export const awsConfig: AwsConfig = { roleAnnotations: [], scopes: [], nodeIpFamilies: ['ipv4'] };
