import type { Environment } from '../environment.ts';
import { Failure } from '../failure.ts';
import type { Host } from '../host.ts';
import type { Http } from './http.ts';
import type { HttpSettings } from './create-http.ts';
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

/** The host's trusted certificates and the CA file of the configuration; `undefined` if the configuration names none. */
async function configuredAuthorities(
  caFile: string | undefined,
  env: Environment,
  host: Pick<Host, 'readText'>,
): Promise<readonly string[] | undefined> {
  if (caFile === undefined) return undefined;
  const text = await host.readText(caFile);
  if (text?.includes('-----BEGIN CERTIFICATE-----')) return [...trustedCertificates(env), text];
  throw new Failure('misconfigured', `caFile ${caFile} holds no certificate`, {
    remedy: 'let it name a file of PEM certificates',
  });
}
