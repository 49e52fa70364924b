import * as z from 'zod/mini';
import type { CloudTraits } from '../../clouds/cloud.ts';
import { Config } from '../../schemas/config.ts';
import { commandsPage } from './commands-page.ts';
import type { ConfigSchema } from './commented-yaml.ts';
import { configurationPage } from './configuration-page.ts';
import { eventsPage } from './events-page.ts';
import { logPage } from './log-page.ts';
import { metricsPage } from './metrics-page.ts';
import { supportPage } from './support-table.ts';
import { upstreamFlagsPage } from './upstream-flags-page.ts';

/**
 * The generated pages: the configuration reference and its JSON Schema from the zod schema, log lines, metrics and events
 * from their tables, commands and flags from the programs' descriptions, and what is supported from the clouds' traits
 * and from the cells that name the tests.
 */
export function documents(clouds: readonly CloudTraits[]): Readonly<Record<string, string>> {
  const schema = z.toJSONSchema(Config, { io: 'input' }) as ConfigSchema;
  return {
    'docs/reference/commands.md': commandsPage(),
    'docs/reference/configuration.md': configurationPage(schema, clouds),
    'docs/reference/events.md': eventsPage(),
    'docs/reference/log.md': logPage(),
    'docs/reference/metrics.md': metricsPage(),
    'docs/reference/support.md': supportPage(clouds),
    'docs/reference/upstream-flags.md': upstreamFlagsPage(),
    'schemas/config.schema.json': JSON.stringify(schema),
  };
}
