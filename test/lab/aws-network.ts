import { createCloudNetwork } from './cloud-network.ts';
import { awsSite } from './clouds/aws/site.ts';
import type { AwsState } from './clouds/aws/state.ts';
import type { LabCloud } from './clouds/lab-cloud.ts';
import type { Namespace } from './network/namespace.ts';

export interface AwsNetworkOptions {
  /** The regions whose API hosts exist. `aws.url` names the first one. */
  readonly regions: readonly [string, ...string[]];
  /** Which addresses exist inside. As in AWS itself, only the dual-stack host names have one of IPv6. */
  readonly ipVersions: readonly (4 | 6)[];
}

export interface AwsNetwork {
  readonly namespace: Namespace;
  readonly aws: LabCloud<AwsState>;
  /** PEM file of the authority that everything inside trusts. */
  readonly authorityFile: string;
  stop(): Promise<void>;
}

/** A machine of AWS with nothing but the embedded AWS around it. */
export async function createAwsNetwork({ regions, ipVersions }: AwsNetworkOptions): Promise<AwsNetwork> {
  const sites = [awsSite(regions)];
  const { clouds, ...network } = await createCloudNetwork({ sites, machineOf: 'aws', ipVersions });
  return { ...network, aws: clouds.aws };
}
