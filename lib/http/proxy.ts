import { isExempt } from './no-proxy.ts';

/** The proxy variables as every Go program reads them: upper case first, NO_PROXY with names and CIDRs. */
export interface ProxyVariables {
  readonly http?: string;
  readonly https?: string;
  readonly no: string;
}

export function readProxyVariables(env: Readonly<Record<string, string | undefined>>): ProxyVariables {
  const http = firstNonEmpty(env, 'HTTP_PROXY', 'http_proxy');
  const https = firstNonEmpty(env, 'HTTPS_PROXY', 'https_proxy');
  return {
    ...(http !== undefined && { http }),
    ...(https !== undefined && { https }),
    no: firstNonEmpty(env, 'NO_PROXY', 'no_proxy') ?? '',
  };
}

function firstNonEmpty(
  env: Readonly<Record<string, string | undefined>>,
  ...names: readonly string[]
): string | undefined {
  return names.map((name) => env[name]).find((value) => value !== undefined && value !== '');
}

/** The proxy for this URL, with a scheme; `undefined` for none. */
export function proxyFor(url: URL, variables: ProxyVariables): string | undefined {
  const proxy = url.protocol === 'https:' ? variables.https : variables.http;
  if (proxy === undefined || isExempt(url, variables.no)) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}
