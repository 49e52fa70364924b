import { Failure } from '../../../lib/failure.ts';
import { neverFound } from '../../../lib/node/never-found.ts';
import type { LookupResult, NodeFacts } from '../../cloud.ts';
import type { OpenstackConfig } from '../../../schemas/config/openstack.ts';
import { keys, wellKnown } from '../../../schemas/keys.ts';
import type { ProjectPlace } from '../session.ts';

const regionLabel = wellKnown.region[0];

/**
 * Nova answers 404 about servers of other projects and regions too, so the Node's labels have to name the project that was
 * asked, and a region that is. An agent knows its project, but perhaps no region: then nothing has found the server.
 */
export function absenceOf(
  { name, labels }: NodeFacts,
  { evidence, place }: { readonly evidence: string; readonly place: ProjectPlace },
  config: Pick<OpenstackConfig, 'region' | 'scopes'>,
): LookupResult {
  const [project, region] = [labels[keys.openstackProject], labels[regionLabel]];
  if (!project) return unknown(neverFound(name, 'server', keys.openstackProject));
  if (!region) return unknown(neverFound(name, 'server', regionLabel));
  if (project !== place.projectId) return unknown(ofOtherProject(name));
  const regions = [place.region, ...config.scopes.map((scope) => scope.region ?? config.region)];
  return regions.includes(region) ? { status: 'not-found', evidence } : unknown(inOtherRegion(name));
}

function unknown(failure: Failure): LookupResult {
  return { status: 'unknown', failure };
}

function ofOtherProject(name: string): Failure {
  return new Failure('misconfigured', `the server of ${name} is in a project that these credentials are not for`, {
    remedy: `add that project to openstack.scopes of the configuration; its id is the label ${keys.openstackProject}`,
  });
}

function inOtherRegion(name: string): Failure {
  return new Failure('misconfigured', `the server of ${name} is in a region that is not asked`, {
    remedy: `add that region to openstack.scopes of the configuration; its name is the label ${regionLabel}`,
  });
}
