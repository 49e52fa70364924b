import { defaultConfig } from '../../schemas/config/defaults.ts';
import type { Config } from '../../schemas/config.ts';
import { Failure } from '../failure.ts';
import { isLink } from '../host.ts';
import type { Host } from '../host.ts';
import { refuseVendorFormat } from './vendor-format.ts';
import type { KnownCloud } from './vendor-format.ts';

/** The configuration file if `--config` names no other. It may be absent. */
export const defaultConfigFile = '/etc/polycloud/config.yaml';

/** A node of one cloud usually has no file. Then the code that parses one is not loaded. */
export async function loadConfig(
  configFile: string | undefined,
  host: Host,
  clouds: readonly KnownCloud[],
): Promise<Config> {
  const file = configFile ?? defaultConfigFile;
  const text = await host.readText(file);
  if (text !== undefined) {
    await refuseVendorFormat(text, file, clouds);
    return (await import('./parse-config.ts')).parseConfigFile(text, file);
  }
  if (isLink(file)) {
    throw new Failure('misconfigured', `configuration file ${file} is a link without a target`, {
      remedy: 'correct or remove it; in a container, mount its target too',
    });
  }
  if (configFile === undefined) return defaultConfig;
  throw new Failure('misconfigured', `configuration file ${file} does not exist`, {
    remedy: 'create it, or omit --config',
  });
}
