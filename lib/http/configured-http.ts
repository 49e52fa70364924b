import type { Environment } from '../environment.ts';
import type { Host } from '../host.ts';
import type { Http } from './http.ts';
import type { HttpSettings } from './create-http.ts';
import { configuredAuthorities } from './configured-authorities.ts';
import { readProxyVariables } from './proxy.ts';
import { trustedCertificates } from './trust.ts';

export interface HttpRuntime {
  readonly env: Environment;
  readonly host: Pick<Host, 'readText'>;
  openHttp(settings: HttpSettings): Http;
}

/** Trusts the CA file of the configuration in addition to the host's, and uses the proxies of the environment. */
export async function configuredHttp(caFile: string | undefined, runtime: HttpRuntime): Promise<Http> {
  const { env, host } = runtime;
  const authorities = await configuredAuthorities(caFile, env, host);
  return runtime.openHttp({
    proxies: readProxyVariables(env),
    allAuthorities: () => trustedCertificates(env),
    ...(authorities !== undefined && { authorities }),
  });
}
