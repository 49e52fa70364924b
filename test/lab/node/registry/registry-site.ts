import { partitionOf } from '../../clouds/aws/hosts.ts';
import type { EmbeddedName } from '../../clouds/embedded.ts';

/** Production names at which images can be pulled with the logins of a cloud. */
export interface RegistrySite<Name extends EmbeddedName> {
  readonly cloud: Name;
  readonly hosts: readonly string[];
  /** The service of the cloud at these names that decides who may pull. None: the state of the cloud decides. */
  readonly authService?: string;
}

/** Where all of them are. */
export const registryAddress = '10.210.0.1';

export interface EcrOptions {
  readonly accounts: readonly string[];
  readonly regions: readonly string[];
}

/** ECR of these accounts in each of these regions, and ECR Public. */
export function ecrSite({ accounts, regions }: EcrOptions): RegistrySite<'aws'> {
  const hosts = regions.flatMap((region) =>
    accounts.map((account) => `${account}.dkr.ecr.${region}.${partitionOf(region).suffix}`),
  );
  return { cloud: 'aws', hosts: [...hosts, 'public.ecr.aws'] };
}

/** Registries of Azure, which exchange tokens at their own names. */
export function acrSite(hosts: readonly string[]): RegistrySite<'azure'> {
  return { cloud: 'azure', hosts, authService: 'registry' };
}

/** Artifact Registry or gcr.io, at these names. */
export function googleRegistrySite(hosts: readonly string[]): RegistrySite<'gcp'> {
  return { cloud: 'gcp', hosts };
}
