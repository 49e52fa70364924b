import { isIP } from 'node:net';
import { Failure } from '../../../lib/failure.ts';
import { rateLimited } from '../../../lib/rate-limited.ts';
import type { CloudSettings, LookupContext, Routes, Scope } from '../../cloud.ts';
import type { OpenstackConfig } from '../../../schemas/config/openstack.ts';
import { createScopeIndex } from '../instances/scopes.ts';
import type { OpenstackScope } from '../instances/scopes.ts';
import type { OpenstackSession } from '../session.ts';
import type { RouterAccess } from './apply.ts';
import type { PairCheck } from './incomplete.ts';

/** The extra routes of Neutron's routers. `undefined`: the configuration names no router. */
export function createRoutes(settings: CloudSettings<OpenstackConfig>): Routes | undefined {
  const { config } = settings;
  const scopes = createScopeIndex(config);
  const sessions = new Map<string, OpenstackSession>();
  const pairChecks = new Map<string, PairCheck>();
  const routerOf = (scope: OpenstackScope): string | undefined => scope.config?.routerId ?? config.routerId;
  if (config.routerId === undefined && config.scopes.every(({ routerId }) => routerId === undefined)) return undefined;

  async function sessionOf({ key, region, config: own }: OpenstackScope): Promise<OpenstackSession> {
    const { openSession } = await import('../session.ts');
    const selection = { cloud: own?.cloud, projectId: own?.projectId, region, cloudsFile: config.cloudsFile };
    const session = sessions.get(key) ?? openSession(selection, settings);
    sessions.set(key, session);
    return session;
  }

  async function accessTo({ cloud, key }: Scope, context: LookupContext): Promise<RouterAccess> {
    const end = key.lastIndexOf('/');
    const scope = scopes.find({ cloud, key: key.slice(0, end) });
    if (scope === undefined) throw unknownRouter(key);
    return { routerId: key.slice(end + 1), session: await sessionOf(scope), context: rateLimited(context) };
  }

  return {
    tablesOf: (node) => {
      // Without a providerID it could be anywhere.
      if (node.providerId === undefined) return [];
      const found = (scopes.scopesOf(node) ?? []).flatMap((scope) => scopes.find(scope) ?? []);
      return found.flatMap((scope) => {
        const routerId = routerOf(scope);
        return routerId === undefined ? [] : [{ cloud: 'openstack', key: `${scope.key}/${routerId}` }];
      });
    },
    // As upstream: the first internal address of the family.
    nextHopOf: (_node, podCidr, addresses) => {
      const family = podCidr.includes(':') ? 6 : 4;
      return addresses.find(({ type, address }) => type === 'InternalIP' && isIP(address) === family)?.address;
    },
    list: async (table, context) => {
      const [{ listExtraRoutes }, { markIncomplete }, access] = await Promise.all([
        import('./router.ts'),
        import('./incomplete.ts'),
        accessTo(table, context),
      ]);
      const routes = await listExtraRoutes(access.routerId, access.session, access.context);
      return markIncomplete(routes, { key: table.key, checks: pairChecks }, access);
    },
    apply: async (table, change, context) => {
      const [{ applyChange }, { forgetDone }, access] = await Promise.all([
        import('./apply.ts'),
        import('./incomplete.ts'),
        accessTo(table, context),
      ]);
      const results = await applyChange(change, access);
      forgetDone(results, { key: table.key, checks: pairChecks });
      return results;
    },
  };
}

function unknownRouter(key: string): Failure {
  return new Failure('misconfigured', `${key} is no router of the configuration`, {
    remedy: 'check openstack.scopes and routerId in the configuration',
  });
}
