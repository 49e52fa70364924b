import { Failure } from '../../../lib/failure.ts';
import { rateLimited } from '../../../lib/rate-limited.ts';
import type { CloudSettings, LookupContext, Routes, Scope } from '../../cloud.ts';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import type { AccountSession } from '../instances/account-session.ts';
import { createScopeIndex } from '../instances/scopes.ts';
import { parseProviderId } from '../provider-id.ts';
import type { ListedTable } from './list.ts';
import { findTable, tablesOf } from './tables.ts';
import type { TableScope } from './tables.ts';

/** The routes of EC2's route tables. `undefined`: the configuration names no table. */
export function createRoutes(settings: CloudSettings<AwsConfig>): Routes | undefined {
  const { config, env } = settings;
  const { clusterName, routeTables } = config;
  if (clusterName === undefined && routeTables.length === 0) return undefined;
  const scopes = createScopeIndex(config, env);
  const sessions = new Map<string, AccountSession>();

  async function sessionOf({ of }: TableScope): Promise<AccountSession> {
    const { openAccountSession } = await import('../instances/account-session.ts');
    const session = sessions.get(of.key) ?? openAccountSession(of, settings);
    sessions.set(of.key, session);
    return session;
  }

  async function list(scope: Scope, context: LookupContext): Promise<OpenTable> {
    const table = findTable(scope, scopes);
    if (table === undefined) throw unknownTable(scope);
    const [{ listTable }, session] = await Promise.all([import('./list.ts'), sessionOf(table)]);
    const listed = await listTable(session, { tableId: table.tableId, clusterName }, rateLimited(context));
    return { listed, session };
  }

  return {
    tablesOf: (node) => tablesOf(node, config, scopes),
    nextHopOf: ({ providerId = '' }) => {
      const parsed = parseProviderId(providerId);
      return parsed.is === 'instance' ? parsed.instanceId : undefined;
    },
    list: async (table, context) => (await list(table, context)).listed.routes,
    apply: async (table, change, context) => {
      const [{ applyChange }, { listed, session }] = await Promise.all([import('./apply.ts'), list(table, context)]);
      return applyChange(change, listed, session, rateLimited(context));
    },
  };
}

interface OpenTable {
  readonly listed: ListedTable;
  readonly session: AccountSession;
}

function unknownTable({ key }: Scope): Failure {
  return new Failure('misconfigured', `${key} is no route table of the configuration`, {
    remedy: 'check aws.scopes and aws.routeTables in the configuration',
  });
}
