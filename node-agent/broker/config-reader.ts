import type { CloudTraits } from '../../clouds/index.ts';
import { defaultConfigFile, loadConfig } from '../../lib/config/load-config.ts';
import type { Host } from '../../lib/host.ts';
import type { Config } from '../../schemas/config.ts';

/**
 * The configuration as the full program would find it at this moment. Its file is read for each request, which costs
 * less than a change that was missed, and understood again only when it says something else; then `changed` is called
 * before anybody gets the new one.
 */
export function createConfigReader(
  host: Host,
  clouds: readonly CloudTraits[],
  onChange: () => void,
): () => Promise<Config> {
  let last: { readonly text: string | undefined; readonly config: Config } | undefined;
  return async () => {
    const text = await host.readText(defaultConfigFile);
    if (last !== undefined && last.text === text) return last.config;
    const config = await loadConfig(undefined, { ...host, readText: () => Promise.resolve(text) }, clouds);
    if (last !== undefined) onChange();
    last = { text, config };
    return config;
  };
}
