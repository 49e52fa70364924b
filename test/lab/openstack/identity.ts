import { markedSecret } from '../clouds/secrets.ts';
import type { Admin } from './admin.ts';
import { bodyOf, callSocket } from './api.ts';
import { socketOf } from './services.ts';

export interface Project {
  readonly id: string;
  readonly name: string;
}

export interface ProjectUser {
  readonly id: string;
  readonly name: string;
  readonly password: string;
  readonly project: Project;
}

export interface ApplicationCredential {
  readonly id: string;
  readonly secret: string;
}

export async function createProject(admin: Admin, name: string): Promise<Project> {
  const body = { project: { name, domain_id: 'default' } };
  const { project } = await admin.call<{ project: Project }>('keystone', {
    method: 'POST',
    path: '/v3/projects',
    body,
  });
  return { id: project.id, name };
}

/** With these roles in the project and no others: `member` and `reader` are Keystone's own. */
export async function createUser(admin: Admin, project: Project, roleNames: readonly string[]): Promise<ProjectUser> {
  const name = `${project.name}-user`;
  const password = markedSecret('', 24);
  const roles = await roleIds(admin);
  const id = await addUser(admin, { name, password, projectId: project.id, roleIds: roleNames.map(roles) });
  return { id, name, password, project };
}

interface NewUser {
  readonly name: string;
  readonly password: string;
  readonly projectId: string;
  readonly roleIds: readonly string[];
}

export async function addUser(admin: Admin, wanted: NewUser): Promise<string> {
  const user = { name: wanted.name, password: wanted.password, domain_id: 'default' };
  const request = { method: 'POST', path: '/v3/users', body: { user } } as const;
  const added = await admin.call<{ user: { id: string } }>('keystone', request);
  for (const roleId of wanted.roleIds) {
    const path = `/v3/projects/${wanted.projectId}/users/${added.user.id}/roles/${roleId}`;
    await admin.call('keystone', { method: 'PUT', path });
  }
  return added.user.id;
}

export async function roleIds(admin: Admin): Promise<(name: string) => string> {
  const { roles } = await admin.call<{ roles: { id: string; name: string }[] }>('keystone', {
    method: 'GET',
    path: '/v3/roles',
  });
  return (name) => {
    const role = roles.find((each) => each.name === name);
    if (role === undefined) throw new Error(`Keystone has no role ${name}`);
    return role.id;
  };
}

/** Only the user can make one, and it can have no role that the user has not. */
export async function createApplicationCredential(
  directory: string,
  user: ProjectUser,
  roles: readonly string[],
): Promise<ApplicationCredential> {
  const socket = socketOf(directory, 'keystone');
  const token = await logInAs(directory, user);
  const wanted = { name: roles.join('-'), secret: markedSecret('', 40), roles: roles.map((name) => ({ name })) };
  const path = `/v3/users/${user.id}/application_credentials`;
  const headers = { 'x-auth-token': token };
  const body = { application_credential: wanted };
  const response = await callSocket(socket, { method: 'POST', path, headers, body });
  const created = bodyOf(response, 'an application credential') as CreatedCredential;
  return { id: created.application_credential.id, secret: wanted.secret };
}

interface CreatedCredential {
  readonly application_credential: { readonly id: string };
}

/** A token of the user's project. */
export async function logInAs(directory: string, { id, password, project }: ProjectUser): Promise<string> {
  const identity = { methods: ['password'], password: { user: { id, password } } };
  const body = { auth: { identity, scope: { project: { id: project.id } } } };
  const request = { method: 'POST', path: '/v3/auth/tokens', body } as const;
  const response = await callSocket(socketOf(directory, 'keystone'), request);
  bodyOf(response, `the login of ${id}`);
  return String(response.headers['x-subject-token']);
}
