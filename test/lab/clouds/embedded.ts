import { aws } from './aws/cloud.ts';
import { azure } from './azure/cloud.ts';
import { digitalocean } from './digitalocean/cloud.ts';
import { gcp } from './gcp/cloud.ts';
import { openstack } from './openstack/cloud.ts';

/** Every embedded cloud, by the name that our own configuration has for it. */
export const embeddedClouds = { aws, azure, digitalocean, gcp, openstack };

export type EmbeddedName = keyof typeof embeddedClouds;

/** Those whose nodes have an identity, and whose registries trust the identities of the others. */
export type FederatedName = 'aws' | 'azure' | 'gcp';

/** What a cloud of this name knows. */
export type StateOf<Name extends EmbeddedName> = ReturnType<(typeof embeddedClouds)[Name]['initialState']>;
