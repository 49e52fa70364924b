import type { PublicKey } from '../signed-token.ts';
import { secretMarker } from '../secrets.ts';
import { initialMachine } from './machine.ts';
import type { Machine } from './machine.ts';
import { labGroup, labSubscription } from './virtual-machine.ts';
import type { ResourceManagerState } from './virtual-machine.ts';

/** All that the embedded Azure knows. Tests change the upper part; the last is what it has given out. */
export interface AzureState {
  readonly machine: Machine;
  /** By client id: applications and managed identities of all tenants. */
  readonly principals: Record<string, Principal>;
  /** By issuer URL: whose signatures Entra can check. */
  readonly issuers: Record<string, Issuer>;
  /** By login server. */
  readonly registries: Record<string, LabRegistry>;
  readonly resourceManager: ResourceManagerState;
  /** What tokens can be asked for. */
  readonly audiences: readonly string[];
  /** Requests of the machine change it as well. */
  scheduledEvents: ScheduledEvents;

  readonly registryLogins: RegistryLogin[];
}

export interface Principal {
  readonly kind: 'system' | 'user' | 'application';
  readonly tenantId: string;
  readonly objectId: string;
  /** Is this one of the machine's managed identities? */
  readonly onMachine: boolean;
  readonly resourceId?: string;
  readonly secrets: readonly { readonly value: string; readonly expiresAtMs: number }[];
  /** In PEM. */
  readonly certificates: readonly string[];
  /** Whose tokens are taken as proof of being this one. */
  readonly federations: readonly Federation[];
}

export interface Federation {
  readonly issuer: string;
  readonly subject: string;
  readonly audience: string;
}

export interface Issuer {
  readonly keys: readonly PublicKey[];
}

export interface LabRegistry {
  readonly tenantId: string;
  /** Object ids of those that may pull. */
  readonly pullers: readonly string[];
  /** Does its firewall keep everybody out? */
  readonly closed?: boolean;
  /** What its challenge names instead of itself. */
  readonly realm?: string;
}

/** What the platform plans for the machines of the set that this one is in. All of them get all of it. */
export interface ScheduledEvents {
  /** Another number for each other document. */
  readonly incarnation: number;
  readonly events: readonly ScheduledEvent[];
}

/** Fields as in https://learn.microsoft.com/azure/virtual-machines/linux/scheduled-events */
export interface ScheduledEvent {
  readonly EventId: string;
  readonly EventType: 'Freeze' | 'Reboot' | 'Redeploy' | 'Preempt' | 'Terminate';
  readonly ResourceType: 'VirtualMachine';
  /** The names of the machines that it is about, as the instance document has them. */
  readonly Resources: readonly string[];
  readonly EventStatus: 'Scheduled' | 'Started';
  /** As in HTTP; empty once it has started. */
  readonly NotBefore: string;
  readonly Description: string;
  readonly EventSource: 'Platform' | 'User';
  readonly DurationInSeconds: number;
}

/** A registry of the lab can ask here which logins are good. */
export interface RegistryLogin {
  readonly registry: string;
  readonly username: string;
  readonly password: string;
  readonly expiresAtMs: number;
  readonly objectId: string;
}

export const labTenant = '11111111-1111-4111-8111-111111111111';
export const otherTenant = '22222222-2222-4222-8222-222222222222';
/** The machine's own identity, which may pull from `acme.azurecr.*`. */
export const systemIdentity = 'aaaaaaaa-0000-4000-8000-000000000001';
/** On the machine, and without permission in any registry. */
export const deniedIdentity = 'aaaaaaaa-0000-4000-8000-000000000002';
/** On the machine, and may pull. */
export const userIdentity = 'aaaaaaaa-0000-4000-8000-000000000003';
/** Not on the machine: a pod is this one by its token. */
export const podIdentity = 'bbbbbbbb-0000-4000-8000-000000000001';
/** An application with a secret; a test adds a certificate. */
export const labApplication = 'cccccccc-0000-4000-8000-000000000001';
/** In the other tenant, where it may pull from `partner.azurecr.io`; pods and this machine's identities may be it. */
export const partnerApplication = 'cccccccc-0000-4000-8000-000000000002';

export const labSecret = `${secretMarker}~lab-application-secret-0123456789`;
/** A test adds the keys that it signs with. */
export const labIssuer = 'https://oidc.lab.example/cluster';
export const podSubject = 'system:serviceaccount:default:puller';
export const exchangeAudience = 'api://AzureADTokenExchange';

export function initialAzureState(): AzureState {
  return {
    machine: initialMachine(),
    principals: initialPrincipals(),
    issuers: { [labIssuer]: { keys: [] } },
    registries: initialRegistries(),
    resourceManager: {
      subscriptions: { [labSubscription]: { tenantId: labTenant } },
      resourceGroups: [labGroup],
      machines: [],
      pageSize: 1_000,
      faultDomainsInLists: true,
      leftOutOfLists: [],
      hiddenFromGet: [],
      readers: [systemIdentity, labApplication].map(objectIdOf),
    },
    audiences: [
      'https://containerregistry.azure.net',
      'https://management.azure.com',
      // The same service by its older name, which Azure's clients in Go ask for.
      'https://management.core.windows.net',
      exchangeAudience,
      'api://AzureADTokenExchangeUSGov',
      'api://AzureADTokenExchangeChina',
    ],
    scheduledEvents: { incarnation: 1, events: [] },
    registryLogins: [],
  };
}

const nothing = { onMachine: false, secrets: [], certificates: [], federations: [] };

function initialPrincipals(): Record<string, Principal> {
  const ofPod = { issuer: labIssuer, subject: podSubject, audience: exchangeAudience };
  const entra = `https://login.microsoftonline.com/${labTenant}/v2.0`;
  const ofMachine = [systemIdentity, userIdentity].map((clientId) => ({
    issuer: entra,
    subject: objectIdOf(clientId),
    audience: exchangeAudience,
  }));
  return {
    [systemIdentity]: principal('system', systemIdentity, { onMachine: true }),
    [deniedIdentity]: principal('user', deniedIdentity, { onMachine: true }),
    [userIdentity]: principal('user', userIdentity, { onMachine: true }),
    [podIdentity]: principal('user', podIdentity, { federations: [ofPod] }),
    [labApplication]: principal('application', labApplication, {
      secrets: [{ value: labSecret, expiresAtMs: Date.parse('2100-01-01') }],
      federations: [ofPod],
    }),
    [partnerApplication]: principal('application', partnerApplication, {
      tenantId: otherTenant,
      federations: [ofPod, ...ofMachine],
    }),
  };
}

function principal(kind: Principal['kind'], clientId: string, more: Partial<Principal>): Principal {
  const resourceId = `/subscriptions/lab/resourcegroups/lab/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${clientId}`;
  return {
    kind,
    tenantId: labTenant,
    objectId: objectIdOf(clientId),
    ...nothing,
    ...(kind === 'user' && { resourceId }),
    ...more,
  };
}

export function objectIdOf(clientId: string): string {
  return clientId.replace(/^(.)/, 'e');
}

function initialRegistries(): Record<string, LabRegistry> {
  const pullers = [systemIdentity, userIdentity, podIdentity, labApplication].map(objectIdOf);
  const own = { tenantId: labTenant, pullers };
  return {
    'acme.azurecr.io': own,
    'acme-a1b2c3d4e5f6a7b8.azurecr.io': own,
    'acme.azurecr.us': own,
    'acme.azurecr.cn': own,
    'acme.azurecr.de': own,
    'acme.azurecr.lab.example': own,
    'partner.azurecr.io': { tenantId: otherTenant, pullers: [objectIdOf(partnerApplication)] },
  };
}
