import {
  deniedIdentity,
  labApplication,
  labSecret,
  labTenant,
  otherTenant,
  podIdentity,
  userIdentity,
} from '../../lab/clouds/azure/state.ts';
import type { Fault } from '../../lab/clouds/faults.ts';
import type { ImprovementName } from './improvements.ts';

/** A request that both programs get, and what we answer otherwise. */
export interface AcrCase {
  readonly name: string;
  readonly image?: string;
  readonly version?: string;
  /** Before the path of azure.json. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** azure.json as a value or as text; null: it does not exist. */
  readonly file?: object | string | null;
  /** As the pod `default/puller`, with these annotations on its service account. */
  readonly pod?: Readonly<Record<string, string>>;
  readonly fault?: Fault;
  /** What the registry's challenge names instead of itself. */
  readonly realm?: string;
  /** Besides how long the answer is kept, which is another time for every login. */
  readonly improvements?: readonly ImprovementName[];
  /** `nothing`: an empty answer. */
  readonly ends?: 'with a failure' | 'with nothing';
  /** The owner of the login; absent: the system-assigned identity, or no login. */
  readonly as?: string;
}

const byMachine = { cloud: 'AzurePublicCloud', tenantId: labTenant, useManagedIdentityExtension: true };
const userAssigned = (id: string): object => ({ ...byMachine, userAssignedIdentityID: id });
const principal = {
  ...byMachine,
  useManagedIdentityExtension: false,
  aadClientId: labApplication,
  aadClientSecret: labSecret,
};
const resourceId = `/subscriptions/lab/resourcegroups/lab/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${userIdentity}`;
const annotations = {
  'kubernetes.azure.com/acr-client-id': podIdentity,
  'kubernetes.azure.com/acr-tenant-id': labTenant,
};
const mirrors = 'mcr.microsoft.com:acme.azurecr.io';

export const usualFile: object = byMachine;

export const acrCases: readonly AcrCase[] = [
  { name: 'the system-assigned identity' },
  { name: 'a user-assigned one by its client id', file: userAssigned(userIdentity), as: userIdentity },
  { name: 'one by its resource id', file: userAssigned(resourceId), as: userIdentity },
  {
    name: 'one by its resource id in other letters',
    file: userAssigned(resourceId.replace('/subscriptions/', '/Subscriptions/')),
    as: userIdentity,
  },
  { name: 'one that may not pull', file: userAssigned(deniedIdentity), ends: 'with a failure' },
  { name: 'one that the machine does not have', file: userAssigned(podIdentity), ends: 'with a failure' },
  { name: 'the environment is ignored', env: { AZURE_CLIENT_ID: userIdentity } },
  { name: 'a name with a hash', image: 'acme-a1b2c3d4e5f6a7b8.azurecr.io/app' },
  { name: 'a region’s host', image: 'acme.westeurope.geo.azurecr.io/app' },
  { name: 'China', image: 'acme.azurecr.cn/app', file: { ...byMachine, cloud: 'AzureChinaCloud' } },
  { name: 'US Government', image: 'acme.azurecr.us/app', file: { ...byMachine, cloud: 'AzureUSGovernmentCloud' } },
  { name: 'a port', image: 'acme.azurecr.io:8443/app', improvements: ['port'] },
  { name: 'v1beta1', version: 'v1beta1', improvements: ['versions'] },
  { name: 'a service principal', file: principal, improvements: ['principalKeys'] },
  { name: 'a file of YAML', file: `useManagedIdentityExtension: true\ntenantId: ${labTenant}\n` },
  { name: 'keys in other letters', file: { TENANTID: labTenant, UseManagedIdentityExtension: true } },
  { name: 'a file that does not exist', file: null, ends: 'with a failure' },
  { name: 'a file that is none', file: '{"tenantId":', ends: 'with a failure' },
  {
    name: 'a field of another type',
    file: { ...byMachine, useManagedIdentityExtension: 'yes' },
    ends: 'with a failure',
  },
  { name: 'a file without an identity', file: {}, improvements: ['nobodyNamed'], ends: 'with a failure' },
  {
    name: 'an image of another registry',
    image: 'registry.example/app',
    improvements: ['emptyResponse'],
    ends: 'with nothing',
  },
  {
    name: 'AWS’s',
    image: '123456789012.dkr.ecr.us-west-2.amazonaws.com/app',
    improvements: ['emptyResponse'],
    ends: 'with nothing',
  },
  { name: 'a look-alike', image: 'acmeazurecr.io/app', improvements: ['lookAlike'], ends: 'with nothing' },
  {
    name: 'a registry’s name in the path',
    image: 'evil.example/acme.azurecr.io/app',
    improvements: ['lookAlike'],
    ends: 'with nothing',
  },
  { name: 'a mirror', image: 'mcr.microsoft.com/dotnet/sdk', args: ['--registry-mirror', mirrors] },
  { name: 'one of several mirrors', image: 'quay.io/app', args: ['-r', `${mirrors}, quay.io:acme.azurecr.io`] },
  { name: 'a mirror, as one argument', image: 'mcr.microsoft.com/app', args: [`-r=${mirrors}`] },
  { name: 'a registry besides mirrors', args: [`--registry-mirror=${mirrors}`] },
  {
    name: 'a mirror of a part of a host',
    image: 'mcr.microsoft.com/dotnet/sdk',
    args: ['-r', 'mcr.microsoft.com/dotnet:acme.azurecr.io'],
    improvements: ['partOfHost'],
  },
  {
    name: 'a mirror’s folder',
    image: 'mcr.microsoft.com/dotnet/sdk',
    args: ['-r', 'mcr.microsoft.com:acme.azurecr.io/cache'],
  },
  {
    name: 'a host that begins like a mirror',
    image: 'mcr.microsoft.com.evil.example/app',
    args: ['-r', mirrors],
    improvements: ['lookAlike'],
    ends: 'with nothing',
  },
  {
    name: 'a mirror with a port',
    image: 'mirror.example:5000/app',
    args: ['-r', 'mirror.example:5000:acme.azurecr.io'],
    improvements: ['mirrorName'],
  },
  {
    name: 'a mirror that leads nowhere',
    image: 'acme.azurecr.io/app',
    args: ['-r', 'mirror.example'],
    improvements: ['mirrorName'],
    ends: 'with a failure',
  },
  { name: 'flags of the log', args: ['--v=4', '--log-flush-frequency', '1s', '-v', '2'] },
  { name: 'an unknown argument', args: ['--registry', 'acme'], ends: 'with a failure' },
  { name: 'two files', args: ['/etc/kubernetes/azure.json'], ends: 'with a failure' },
  { name: 'a pod', pod: annotations, improvements: ['podOfAzure'], as: podIdentity },
  { name: 'a pod without annotations', pod: {}, improvements: ['podOfAzure'], ends: 'with a failure' },
  {
    name: 'a pod beside a service principal',
    pod: annotations,
    file: principal,
    improvements: ['podOfAzure', 'principalKeys'],
    as: podIdentity,
  },
  {
    name: 'a pod in another tenant',
    pod: { ...annotations, 'kubernetes.azure.com/acr-tenant-id': otherTenant },
    improvements: ['podOfAzure'],
    ends: 'with a failure',
  },
  { name: 'a pod and a mirror: the node', pod: annotations, image: 'mcr.microsoft.com/app', args: ['-r', mirrors] },
  {
    name: 'a registry that names another host',
    realm: 'https://partner.azurecr.io/oauth2/token',
    improvements: ['realm'],
    ends: 'with a failure',
  },
  {
    name: 'throttled',
    fault: { service: 'registry', pathPrefix: '/oauth2', kind: 'throttle', retryAfterS: 1, count: 1 },
    improvements: ['patience'],
  },
  {
    name: 'an exchange without a token',
    fault: { service: 'registry', pathPrefix: '/oauth2', kind: 'status', status: 200, body: '{}' },
    improvements: ['passed'],
    ends: 'with a failure',
  },
  { name: 'the registry is down', fault: { service: 'registry', kind: 'refuse' }, ends: 'with a failure' },
];
