import type { Moment } from '../cloud.ts';
import { partitionOf } from './hosts.ts';
import { networkDocuments } from './imds-network.ts';
import { startSession } from './principals.ts';
import type { AccessKey, AwsState } from './state.ts';

/** A function where asking has an effect. */
export type Documents = Readonly<Record<string, string | (() => string)>>;

/** What the metadata service has to say, by its path below `/latest/`. */
export function documentsOf(state: AwsState, moment: Moment): Documents {
  const { instance } = state;
  const partition = partitionOf(instance.region);
  const documents = {
    'dynamic/instance-identity/document': identityDocument(state),
    'meta-data/ami-id': instance.imageId,
    'meta-data/instance-id': instance.instanceId,
    'meta-data/instance-life-cycle': 'on-demand',
    'meta-data/instance-type': instance.instanceType,
    'meta-data/placement/availability-zone': instance.zone,
    'meta-data/placement/region': instance.region,
    'meta-data/services/domain': partition.suffix,
    'meta-data/services/partition': partition.name,
    ...networkDocuments(state),
    ...roleDocuments(state, moment),
    ...state.metadata,
  };
  return Object.fromEntries(Object.entries(documents).filter((entry) => isPresent(entry)));
}

function isPresent(entry: readonly [string, Documents[string] | null]): entry is [string, Documents[string]] {
  return entry[1] !== null;
}

function identityDocument({ accountId, instance }: AwsState): string {
  const document = {
    accountId,
    architecture: 'arm64',
    availabilityZone: instance.zone,
    imageId: instance.imageId,
    instanceId: instance.instanceId,
    instanceType: instance.instanceType,
    pendingTime: '2026-01-01T00:00:00Z',
    privateIp: instance.privateIp,
    region: instance.region,
    version: '2017-09-30',
  };
  return JSON.stringify(document, undefined, 2);
}

function roleDocuments(state: AwsState, moment: Moment): Documents {
  const { roleName, region } = state.instance;
  if (roleName === null) return {};
  const profile = {
    Code: 'Success',
    LastUpdated: date(moment.nowMs),
    InstanceProfileArn: `arn:${partitionOf(region).name}:iam::${state.accountId}:instance-profile/${roleName}`,
    InstanceProfileId: 'AIPALABNODE0000000000',
  };
  return {
    'meta-data/iam/info': JSON.stringify(profile, undefined, 2),
    'meta-data/iam/security-credentials/': roleName,
    [`meta-data/iam/security-credentials/${roleName}`]: () => roleCredentials(state, roleName, moment),
  };
}

function roleCredentials(state: AwsState, roleName: string, moment: Moment): string {
  const session = currentSession(state, roleName, moment) ?? newSession(state, roleName, moment);
  const expiresAt = date(session.expiresAtMs ?? 0);
  const credentials = {
    Code: 'Success',
    LastUpdated: date(session.issuedAtMs ?? 0),
    Type: 'AWS-HMAC',
    AccessKeyId: session.accessKeyId,
    SecretAccessKey: session.secretAccessKey,
    Token: session.sessionToken,
    Expiration: moment.expiry === 'absent' ? undefined : expiresAt,
  };
  return JSON.stringify(credentials, undefined, 2);
}

const sessionLifeMs = 6 * 60 * 60 * 1000;
const sessionPassedMs = 60 * 1000;
/** From here on the instance is given new ones. */
const sessionRestMs = 15 * 60 * 1000;

/** Everyone on the instance gets the same credentials until they near their end. */
function currentSession(state: AwsState, roleName: string, { nowMs, expiry }: Moment): AccessKey | undefined {
  if (expiry === 'passed') return undefined;
  const partition = partitionOf(state.instance.region).name;
  return Object.values(state.accessKeys).find(
    (key) =>
      key.owner.name === roleName &&
      key.sessionName === state.instance.instanceId &&
      key.partition === partition &&
      (key.expiresAtMs ?? 0) > nowMs + sessionRestMs,
  );
}

function newSession(state: AwsState, roleName: string, { nowMs, expiry }: Moment): AccessKey {
  return startSession(state, {
    roleName,
    sessionName: state.instance.instanceId,
    partition: partitionOf(state.instance.region).name,
    issuedAtMs: nowMs,
    expiresAtMs: nowMs + (expiry === 'passed' ? -sessionPassedMs : sessionLifeMs),
  });
}

/** Without milliseconds, as AWS writes it. */
function date(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
