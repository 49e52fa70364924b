import { Failure } from '../../../lib/failure.ts';
import { rateLimited } from '../../../lib/rate-limited.ts';
import type { DigitaloceanConfig } from '../../../schemas/config/digitalocean.ts';
import type { CloudSettings, Instances, Scope } from '../../cloud.ts';
import { parseProviderId } from '../provider-id.ts';
import type { TeamSession } from './team-session.ts';

/** The team of the API token. A providerID names no team, so there is one. */
const ownScope: Scope = { cloud: 'digitalocean', key: 'digitalocean/team' };
/** For nodes whose providerID has DigitalOcean's scheme but names no Droplet. Their result has the reason. */
const unroutableScope: Scope = { cloud: 'digitalocean', key: 'digitalocean/nowhere' };

/**
 * If none of them is in the list, each needs a request. At 5 requests a second that takes 20 s of the 30 s that a
 * look-up has, so the pages of the list and the requests for `verify` still fit.
 */
const batchMax = 100;

/** Droplets. The code for look-ups is imported at the first one, so a registry login never loads it. */
export function createInstances(settings: CloudSettings<DigitaloceanConfig>): Instances {
  let session: TeamSession | undefined;
  const openSession = async (): Promise<TeamSession> => {
    const { createTeamSession } = await import('./team-session.ts');
    session ??= createTeamSession(settings);
    return session;
  };
  return {
    batchMax,
    scopesOf: ({ providerId }) => {
      if (providerId === undefined || providerId === '') return [ownScope];
      const parsed = parseProviderId(providerId);
      if (parsed.is === 'foreign') return undefined;
      return [parsed.is === 'droplet' ? ownScope : unroutableScope];
    },
    lookUp: async ({ key }, request, context) => {
      const { lookUpNodes, noDroplet } = await import('./look-up.ts');
      if (key !== ownScope.key) {
        return new Map(request.nodes.map((node) => [node.uid, { status: 'unknown', failure: noDroplet(node) }]));
      }
      return lookUpNodes(request, await openSession(), rateLimited(context));
    },
    verifyAccess: async ({ key }, context) => {
      if (key !== ownScope.key) return false;
      try {
        return await (await openSession()).isProven(rateLimited(context));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        context.log.debug(`the access to the Droplets could not be verified: ${error.message}`);
        return false;
      }
    },
  };
}
