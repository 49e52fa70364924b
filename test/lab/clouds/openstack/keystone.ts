import type { LabRequest, LabResponse, LabService, Moment } from '../cloud.ts';
import { markedSecret } from '../secrets.ts';
import { identityError, json, unauthorized } from './responses.ts';
import type { IssuedToken, LabRegion, OpenstackState } from './state.ts';

/** Of Keystone the tokens: https://docs.openstack.org/api-ref/identity/v3/#authentication-and-token-management */
export const keystone: LabService<OpenstackState> = {
  throttled: identityError(429, 'Too Many Requests', 'Too many requests.'),
  respond: (request, state, moment) => {
    if (request.path !== '/v3/auth/tokens') return identityError(404, 'Not Found', `Could not find ${request.path}.`);
    if (request.method !== 'POST') return identityError(405, 'Method Not Allowed', 'METHOD NOT ALLOWED');
    const holder = authenticate(request, state, moment);
    if (holder === 'invalid') return identityError(400, 'Bad Request', "Invalid input for field 'auth'.");
    return holder === undefined ? unauthorized : issue(holder, state, moment);
  },
};

type Holder = Omit<IssuedToken, 'expiresAtMs'>;

interface AuthBody {
  readonly auth?: {
    readonly identity?: {
      readonly methods?: readonly string[];
      readonly password?: { readonly user?: NamedUser };
      readonly application_credential?: NamedCredential;
      readonly token?: { readonly id?: string };
    };
    readonly scope?: { readonly project?: NamedProject };
  };
}

interface Named {
  readonly id?: string;
  readonly name?: string;
}

interface NamedInDomain extends Named {
  readonly domain?: Named;
}

type NamedProject = NamedInDomain;
type NamedUser = NamedInDomain & { readonly password?: string };
type NamedCredential = Named & { readonly secret?: string; readonly user?: NamedUser };

function authenticate(request: LabRequest, state: OpenstackState, moment: Moment): Holder | 'invalid' | undefined {
  const { auth = {} } = JSON.parse(request.body) as AuthBody;
  const { identity = {}, scope = {} } = auth;
  const method = identity.methods?.[0];
  if (method === 'password') return byPassword(identity.password?.user, scope.project, state);
  if (method === 'token') return byToken(identity.token?.id, scope.project, state, moment);
  return method === 'application_credential' ? byCredential(identity.application_credential, auth, state) : 'invalid';
}

function byPassword(
  user: NamedUser | undefined,
  project: NamedProject | undefined,
  state: OpenstackState,
): Holder | undefined {
  const userId = userIdOf(user, state);
  const known = userId === undefined ? undefined : state.users[userId];
  if (userId === undefined || known === undefined || !known.enabled) return undefined;
  if (known.password !== user?.password) return undefined;
  return inProject(userId, project, state);
}

function byCredential(
  credential: NamedCredential | undefined,
  { scope }: Pick<NonNullable<AuthBody['auth']>, 'scope'>,
  state: OpenstackState,
): Holder | 'invalid' | undefined {
  // An application credential has its project.
  if (scope !== undefined) return 'invalid';
  const userId = userIdOf(credential?.user, state);
  const found = Object.entries(state.applicationCredentials).find(([id, each]) =>
    credential?.id === undefined ? each.name === credential?.name && each.userId === userId : id === credential.id,
  )?.[1];
  if (found === undefined || found.secret !== credential?.secret) return undefined;
  if (state.users[found.userId]?.enabled !== true) return undefined;
  return { projectId: found.projectId, userId: found.userId, roles: found.roles };
}

function byToken(
  id: string | undefined,
  project: NamedProject | undefined,
  state: OpenstackState,
  { nowMs }: Moment,
): Holder | undefined {
  const issued = state.tokens[id ?? ''];
  if (issued === undefined || issued.expiresAtMs <= nowMs) return undefined;
  return project === undefined ? issued : inProject(issued.userId, project, state);
}

function userIdOf(user: NamedUser | undefined, { users }: OpenstackState): string | undefined {
  if (user?.id !== undefined) return Object.hasOwn(users, user.id) ? user.id : undefined;
  return isInDefaultDomain(user) ? idNamed(users, user?.name) : undefined;
}

function inProject(userId: string, project: NamedProject | undefined, state: OpenstackState): Holder | undefined {
  const byName = isInDefaultDomain(project) ? idNamed(state.projects, project?.name) : undefined;
  const projectId = project?.id ?? byName;
  const roles = state.users[userId]?.roles[projectId ?? ''];
  return projectId === undefined || roles === undefined ? undefined : { projectId, userId, roles };
}

function isInDefaultDomain(named: NamedInDomain | undefined): boolean {
  return named?.domain?.id === 'default' || named?.domain?.name === 'Default';
}

function idNamed(all: Readonly<Record<string, Named>>, name: string | undefined): string | undefined {
  return Object.entries(all).find(([, each]) => each.name === name)?.[0];
}

const passedS = 60;

function issue(holder: Holder, state: OpenstackState, { nowMs, expiry }: Moment): LabResponse {
  const token = markedSecret('gAAAAAB', 180);
  const lifeS = expiry === 'passed' ? -passedS : state.behaviour.tokenLifeS;
  const expiresAtMs = nowMs + lifeS * 1000;
  state.tokens[token] = { ...holder, expiresAtMs };
  const domain = { id: 'default', name: 'Default' };
  const body = {
    methods: ['password'],
    user: { domain, id: holder.userId, name: state.users[holder.userId]?.name, password_expires_at: null },
    audit_ids: ['lC2Wj1jbQe-dLjLyOx4qPQ'],
    ...(expiry !== 'absent' && { expires_at: isoMicroseconds(expiresAtMs) }),
    issued_at: isoMicroseconds(nowMs),
    project: { domain, id: holder.projectId, name: state.projects[holder.projectId]?.name },
    is_domain: false,
    roles: holder.roles.map((name) => ({ id: `role-${name}`, name })),
    catalog: catalogOf(state),
  };
  return json(201, { token: body }, { 'x-subject-token': token, vary: 'X-Auth-Token' });
}

function catalogOf({ regions }: OpenstackState): object {
  const endpoints = (service: keyof LabRegion): object[] =>
    Object.entries(regions).flatMap(([region, urls]) =>
      ['public', 'internal', 'admin'].map((each) => ({
        id: `${service}-${region}-${each}`,
        interface: each,
        region_id: region,
        url: urls[service],
        region,
      })),
    );
  return [
    { endpoints: endpoints('compute'), id: 'compute', type: 'compute', name: 'nova' },
    { endpoints: endpoints('network'), id: 'network', type: 'network', name: 'neutron' },
  ];
}

/** As Keystone spells times: `2026-11-18T12:00:00.000000Z`. */
function isoMicroseconds(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
