import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { controlRemotely } from '../../clouds/control.ts';
import type { EmbeddedName } from '../../clouds/embedded.ts';
import { loginChecks } from './logins.ts';
import type { LoginRefusal, LoginAttempt } from './logins.ts';

/** Decides who may pull from one host. */
export interface RegistryHost {
  readonly cloud: EmbeddedName;
  /** By which the cloud can be asked what it gave out. */
  readonly controlSocket: string;
  /** The service that decides itself, and that answers all requests that are not for images. */
  readonly service?: { readonly address: string; readonly authorityFile: string };
}

/** Whether a login is one that the cloud gave out. */
export async function loginRefusal(registry: RegistryHost, host: string, authorization: string): Promise<LoginRefusal> {
  const [scheme, encoded = ''] = authorization.split(' ');
  if (scheme !== 'Basic') return 'no login';
  const [username = '', password = ''] = Buffer.from(encoded, 'base64').toString().split(/:(.*)/s);
  return checkLogin(registry, { host, username, password, nowMs: Date.now() });
}

async function checkLogin({ cloud, controlSocket }: RegistryHost, attempt: LoginAttempt): Promise<LoginRefusal> {
  const check = loginChecks[cloud] as ((attempt: LoginAttempt, state: object) => LoginRefusal) | undefined;
  if (check === undefined) return `nobody here knows the logins of ${cloud}`;
  const remote = { socketPath: controlSocket, urls: {}, stop: () => Promise.resolve() };
  return check(attempt, await controlRemotely<object>(remote).state());
}

/** What the cloud's own service answers to this request, or to the same one for another path. */
export async function callService(
  { address, authorityFile }: NonNullable<RegistryHost['service']>,
  request: IncomingMessage,
  path: string,
): Promise<IncomingMessage> {
  const { headers, method } = request;
  const servername = (headers.host ?? '').replace(/:\d+$/, '');
  const ca = readFileSync(authorityFile);
  const asked = httpsRequest({ host: address, servername, ca, method, path, headers, agent: false });
  request.pipe(asked);
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  return answer;
}
