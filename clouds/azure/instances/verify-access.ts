import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { SubscriptionResource } from '../schemas.ts';
import type { ResourceManager } from './resource-manager.ts';

const subscriptionVersion = '2022-12-01';

/**
 * Do the credentials still reach the subscriptions of our nodes? If none is known, or the answer cannot be found out,
 * the result is false.
 */
export async function verifyAccess(
  subscriptions: ReadonlySet<string>,
  manager: ResourceManager,
  context: Context,
): Promise<boolean> {
  if (subscriptions.size === 0) {
    context.log.debug('the subscription of the nodes is not known: none of their machines was found yet');
    return false;
  }
  try {
    const answers = [...subscriptions].map((each) => subscriptionAnswers(each, manager, context));
    return (await Promise.all(answers)).every(Boolean);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    context.log.debug(`the access to the subscription could not be verified: ${error.message}`);
    return false;
  }
}

async function subscriptionAnswers(
  subscriptionId: string,
  manager: ResourceManager,
  context: Context,
): Promise<boolean> {
  const response = await manager.get(
    `/subscriptions/${subscriptionId}`,
    { 'api-version': subscriptionVersion },
    context,
  );
  if (response.is !== 'answer') return false;
  const parsed = SubscriptionResource.safeParse(response.body);
  return parsed.success && parsed.data.subscriptionId.toLowerCase() === subscriptionId;
}
