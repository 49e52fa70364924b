import { bodyOf, callSocket } from './api.ts';
import type { ApiRequest } from './api.ts';
import { socketOf } from './services.ts';
import type { ServiceName } from './services.ts';
import { adminPassword } from './settings.ts';

/** The administrator of the cloud. Its requests go past the public addresses and are in no log. */
export interface Admin {
  readonly userId: string;
  /** Fails unless the response is a success. */
  call<T>(service: ServiceName, request: ApiRequest): Promise<T>;
}

export async function openAdmin(directory: string): Promise<Admin> {
  let login = await logIn(directory);
  async function call<T>(service: ServiceName, request: ApiRequest): Promise<T> {
    const send = (): ReturnType<typeof callSocket> => {
      const headers = { ...request.headers, 'x-auth-token': login.token };
      return callSocket(socketOf(directory, service), { ...request, headers });
    };
    let response = await send();
    if (response.status === 401) {
      login = await logIn(directory);
      response = await send();
    }
    return bodyOf(response, `${service}: ${request.method} ${request.path}`) as T;
  }
  return { userId: login.userId, call };
}

interface Login {
  readonly token: string;
  readonly userId: string;
}

async function logIn(directory: string): Promise<Login> {
  const domain = { name: 'Default' };
  const user = { name: 'admin', domain, password: adminPassword };
  const auth = {
    identity: { methods: ['password'], password: { user } },
    scope: { project: { name: 'admin', domain } },
  };
  const request = { method: 'POST', path: '/v3/auth/tokens', body: { auth } } as const;
  const response = await callSocket(socketOf(directory, 'keystone'), request);
  const { token } = bodyOf(response, 'the login of the administrator') as { token: { user: { id: string } } };
  return { token: String(response.headers['x-subject-token']), userId: token.user.id };
}
