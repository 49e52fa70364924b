import type { Context } from '../../../lib/context.ts';
import { listServerIds } from './nova.ts';
import type { OpenstackSession } from '../session.ts';

/**
 * Do the credentials reach the project of our nodes? That Nova answers is not enough: credentials of another project
 * get lists too, and a 404 for each of our servers. `projects`: those that are configured, or that own a server of ours.
 */
export async function verifyAccess(
  projects: ReadonlySet<string>,
  session: OpenstackSession,
  context: Context,
): Promise<boolean> {
  const { place } = await listServerIds({ limit: '1' }, session, context);
  return projects.has(place.projectId);
}
