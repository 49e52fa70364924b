import type { CloudTraits } from '../../clouds/cloud.ts';
import { defaultConfig } from '../../schemas/config/defaults.ts';
import type { Config } from '../../schemas/config.ts';
import { Failure } from '../failure.ts';
import { isLink } from '../host.ts';
import type { Host } from '../host.ts';
import { refuseVendorFormat } from './vendor-format.ts';

/** Read when nobody names another; it need not be there. */
export const defaultConfigFile = '/etc/polycloud/config.yaml';

/** On a node of one cloud there is no file, and nothing of what reads one is loaded. */
export async function loadConfig(
  configFile: string | undefined,
  host: Host,
  clouds: readonly CloudTraits[],
): Promise<Config> {
  const file = configFile ?? defaultConfigFile;
  const text = await host.readText(file);
  if (text !== undefined) {
    refuseVendorFormat(text, file, clouds);
    return (await import('./parse-config.ts')).parseConfigFile(text, file);
  }
  if (isLink(file)) {
    throw new Failure('misconfigured', `configuration file ${file} is a link that leads nowhere`, {
      remedy: 'mend or remove it; in a container, mount what it leads to as well',
    });
  }
  if (configFile === undefined) return defaultConfig;
  throw new Failure('misconfigured', `configuration file ${file} does not exist`, {
    remedy: 'create it, or call us without --config',
  });
}
