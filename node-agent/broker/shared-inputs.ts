import type { CloudTraits } from '../../clouds/index.ts';
import { defaultConfigFile, loadConfig } from '../../lib/config/load-config.ts';
import type { Host } from '../../lib/host.ts';
import type { HttpSettings } from '../../lib/http/create-http.ts';
import type { Http } from '../../lib/http/http.ts';
import type { Config } from '../../schemas/config.ts';

export interface ConfigReaderDeps {
  readonly host: Host;
  readonly clouds: readonly CloudTraits[];
  onChange(): void;
}

/**
 * The configuration that the full program would read at this moment. The file is read for each request, which costs less
 * than a missed change, and parsed only when its text differs. `onChange` runs before the new one is used.
 */
export function createConfigReader(
  configFile: string | undefined,
  { host, clouds, onChange }: ConfigReaderDeps,
): () => Promise<Config> {
  let last: { readonly text: string | undefined; readonly config: Config } | undefined;
  return async () => {
    const text = await host.readText(configFile ?? defaultConfigFile);
    if (last !== undefined && last.text === text) return last.config;
    const config = await loadConfig(configFile, { ...host, readText: () => Promise.resolve(text) }, clouds);
    if (last !== undefined) onChange();
    last = { text, config };
    return config;
  };
}

type OpenHttp = (settings: HttpSettings) => Http;

/**
 * All logins use one `Http` with one connection pool, as long as they trust the same authorities. The broker has no
 * proxies: a front end with proxy variables does not ask it.
 */
export function shareHttp(openHttp: OpenHttp): OpenHttp {
  let last: { readonly trust: string; readonly http: Http } | undefined;
  return (settings) => {
    const trust = JSON.stringify(settings.authorities ?? null);
    if (last?.trust !== trust) last = { trust, http: openHttp(settings) };
    return last.http;
  };
}
