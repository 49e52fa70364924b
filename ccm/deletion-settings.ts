import { Failure } from '../lib/failure.ts';
import type { Log } from '../lib/log/log.ts';
import type { Config } from '../schemas/config.ts';
import { checkSettings } from './lifecycle/settings.ts';
import type { LifecycleSettings } from './lifecycle/settings.ts';

/** The settings of the configuration, with defaults for the rest. Those weaker than the default are logged at each start. */
export function deletionSettings(given: Config['deletion'], log: Log): LifecycleSettings {
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const { settings, mistakes, warnings } = checkSettings(defined);
  if (mistakes[0] !== undefined) {
    throw new Failure('misconfigured', `deletion in the configuration: ${mistakes[0]}`, {
      remedy: 'correct it, or leave it out for the default',
    });
  }
  for (const warning of warnings) log.info('A setting of deletions is weaker than recommended', { reason: warning });
  return settings;
}
