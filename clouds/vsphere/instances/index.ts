import { Failure } from '../../../lib/failure.ts';
import { rateLimited } from '../../../lib/rate-limited.ts';
import type { VsphereConfig } from '../../../schemas/config/vsphere.ts';
import type { CloudSettings, Instances, NodeFacts } from '../../cloud.ts';
import { createScopeIndex } from './scopes.ts';
import type { Vcenter } from './vcenter.ts';

/** One list serves them all. */
const batchMax = 1_000;

/** The virtual machines of vCenters. The code for look-ups is imported at the first one. */
export function createInstances(settings: CloudSettings<VsphereConfig>): Instances {
  const scopeIndex = createScopeIndex(settings.config);
  let opened: ReadonlyMap<string, Vcenter> | undefined;

  async function vcenters(): Promise<ReadonlyMap<string, Vcenter>> {
    const { openVcenter } = await import('./vcenter.ts');
    opened ??= new Map(scopeIndex.all.map(({ vcenter }) => [vcenter.name, openVcenter(vcenter, settings)]));
    return opened;
  }

  return {
    batchMax,
    scopesOf: (node) => scopeIndex.scopesOf(node),
    lookUp: async (scope, request, context) => {
      const name = scopeIndex.find(scope)?.vcenter.name;
      const all = await vcenters();
      const home = all.get(name ?? '');
      if (home === undefined) {
        return new Map(request.nodes.map((node) => [node.uid, { status: 'unknown', failure: noInstance(node) }]));
      }
      const { lookUpNodes } = await import('./look-up.ts');
      const others = [...all.values()].filter((each) => each !== home);
      return lookUpNodes(request, { home, others, config: settings.config, context: rateLimited(context) });
    },
    verifyAccess: async (scope, context) => {
      const home = (await vcenters()).get(scopeIndex.find(scope)?.vcenter.name ?? '');
      if (home === undefined) return false;
      const [{ canRead }, { createVmSearch }] = await Promise.all([import('./absence.ts'), import('./search.ts')]);
      try {
        return await canRead(home, createVmSearch(rateLimited(context)));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        context.log.debug(`the access to the vCenter could not be verified: ${error.message}`);
        return false;
      }
    },
  };
}

function noInstance({ name, providerId }: NodeFacts): Failure {
  return new Failure('misconfigured', `${name} cannot be looked up: its providerID is ${String(providerId)}`, {
    remedy: 'it has to be vsphere:// and the BIOS UUID of the virtual machine',
  });
}
