import type { EmbeddedName, StateOf } from '../../clouds/embedded.ts';
import { mayPull } from '../../clouds/gcp/registry.ts';

/** The credentials of a request to a registry. */
export interface LoginAttempt {
  /** Without a port. */
  readonly host: string;
  readonly username: string;
  readonly password: string;
  readonly nowMs: number;
}

/** Why a login is no good; `undefined` when it is. */
export type LoginRefusal = string | undefined;

type LoginCheck<Name extends EmbeddedName> = (visit: LoginAttempt, state: StateOf<Name>) => LoginRefusal;

/** Whether a cloud issued this login, for this host, and it is still valid. Absent if the cloud's own service decides. */
export const loginChecks: { readonly [Name in EmbeddedName]?: LoginCheck<Name> } = {
  aws: ({ host, username, password, nowMs }, { registryLogins }) => {
    const login = registryLogins.find((each) => each.username === username && each.password === password);
    if (login === undefined) return 'never given out';
    if (login.expiresAtMs <= nowMs) return 'expired';
    const service = ecrServiceOf(host);
    const fits = login.service === service.service && (service.region === undefined || login.region === service.region);
    return fits ? undefined : `given out by ${login.service} in ${login.region}`;
  },
  gcp: ({ username, password, nowMs }, state) =>
    mayPull({ username, password }, state, nowMs) ? undefined : 'may not pull',
};

function ecrServiceOf(host: string): { readonly service: string; readonly region?: string } {
  const region = /\.dkr[.-]ecr(?:-fips)?\.([\w-]+)\./.exec(host)?.[1];
  return region === undefined ? { service: 'ecr-public' } : { service: 'ecr', region };
}
