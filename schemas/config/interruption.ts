import * as z from 'zod/mini';
import { cloudConfigs } from '../generated/configs.ts';
import { interruptionActions } from '../interruption.ts';
import { absolutePath } from './formats.ts';

function action(description: string) {
  return z.optional(z.enum(interruptionActions).check(z.describe(description)));
}

/** By the effect of a notice. */
const EffectActions = z.strictObject({
  ends: action('The instance stops or is deleted (default drain).'),
  restarts: action('The instance is rebooted (default drain).'),
  pauses: action('The instance goes on after a short interruption, such as a live migration (default report).'),
  'may-end': action('The instance has a higher risk to end, and no time is known (default taint).'),
});

function milliseconds(description: string) {
  return z.optional(z.int().check(z.minimum(0, 'must not be negative'), z.describe(description)));
}

export const InterruptionConfig = z.strictObject({
  mode: action('The strongest action of all agents (default drain). The flag --interruption-mode takes precedence.'),
  actions: z.optional(
    z
      .partialRecord(z.enum(Object.keys(cloudConfigs) as (keyof typeof cloudConfigs)[]), EffectActions)
      .check(
        z.describe('By the name of a cloud: the action for each effect of a notice.'),
        z.meta({ examples: [{ aws: { ends: 'drain', restarts: 'drain', pauses: 'report', 'may-end': 'taint' } }] }),
      ),
  ),
  drainAheadMs: milliseconds(
    'How long before its time a notice causes a drain; until then it is advice (default 600000).',
  ),
  marginMs: milliseconds('How long before the time of a notice all pods should have ended (default 10000).'),
  unknownTimeMs: milliseconds('The time of a notice without one, after it was first seen (default 120000).'),
  adviceMs: milliseconds('How long a notice without a time and without certainty keeps its taint (default 3600000).'),
  webhook: z.optional(
    z
      .strictObject({
        urlFile: absolutePath.check(
          z.describe('A file with the URL, which may hold a secret.'),
          z.meta({ examples: ['/etc/polycloud/webhook-url'] }),
        ),
        format: z.optional(
          z.enum(['json', 'slack']).check(z.describe('A JSON object, or a text as Slack expects it (default json).')),
        ),
      })
      .check(z.describe('A webhook that gets each report.')),
  ),
});
export type InterruptionConfig = z.infer<typeof InterruptionConfig>;
