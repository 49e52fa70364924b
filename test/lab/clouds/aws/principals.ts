import { randomBytes } from 'node:crypto';
import { markedSecret } from '../secrets.ts';
import type { AccessKey, AwsState, User } from './state.ts';

export interface SessionRequest {
  readonly roleName: string;
  readonly sessionName: string;
  readonly partition: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
}

/** New temporary credentials of a role, known from now on. */
export function startSession(state: AwsState, request: SessionRequest): AccessKey & { readonly sessionToken: string } {
  const session = {
    accessKeyId: `ASIALAB${randomBytes(13).toString('hex').toUpperCase().slice(0, 13)}`,
    secretAccessKey: markedSecret('', 40),
    sessionToken: markedSecret('IQoJb3JpZ2luX2Vj', 800),
    expiresAtMs: request.expiresAtMs,
    issuedAtMs: request.issuedAtMs,
    partition: request.partition,
    owner: { kind: 'role' as const, name: request.roleName },
    sessionName: request.sessionName,
  };
  state.accessKeys[session.accessKeyId] = session;
  return session;
}

/** The account that a key is of. */
export function accountOf(state: AwsState, key: AccessKey): string {
  return ownerOf(state, key)?.accountId ?? state.accountId;
}

/** The ARN of a key's principal in refusals and GetCallerIdentity. */
export function arnOf(state: AwsState, key: AccessKey): string {
  const { partition, owner, sessionName } = key;
  if (owner.kind === 'user') return `arn:${partition}:iam::${accountOf(state, key)}:user/${owner.name}`;
  return assumedRoleArn(state, partition, owner.name, sessionName ?? '');
}

export function assumedRoleArn(state: AwsState, partition: string, roleName: string, sessionName: string): string {
  const accountId = state.roles[roleName]?.accountId ?? state.accountId;
  return `arn:${partition}:sts::${accountId}:assumed-role/${roleName}/${sessionName}`;
}

/** The ARN by which trust policies name them. */
export function principalArnOf(state: AwsState, key: AccessKey): string {
  return `arn:${key.partition}:iam::${accountOf(state, key)}:${key.owner.kind}/${key.owner.name}`;
}

export function userIdOf(state: AwsState, key: AccessKey): string {
  const id = ownerOf(state, key)?.id ?? '';
  return key.sessionName === undefined ? id : `${id}:${key.sessionName}`;
}

export function isAllowed(state: AwsState, key: AccessKey, action: string): boolean {
  return ownerOf(state, key)?.permissions.includes(action) ?? false;
}

function ownerOf(state: AwsState, { owner }: AccessKey): User | undefined {
  return owner.kind === 'user' ? state.users[owner.name] : state.roles[owner.name];
}
