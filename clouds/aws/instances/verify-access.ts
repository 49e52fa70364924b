import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { AccountSession } from './account-session.ts';
import { describeAny } from './describe.ts';
import { readXml, textAt } from './xml.ts';

/**
 * Are we still asking the account whose instances our nodes are? With keys of another account every id would be
 * "not found". Without an account that is known, nothing can vouch; could not find out is no.
 */
export async function verifyAccess(
  accounts: ReadonlySet<string>,
  session: AccountSession,
  context: Context,
): Promise<boolean> {
  if (accounts.size === 0) {
    context.log.debug('which account the nodes are in is not known: none of their instances was seen yet');
    return false;
  }
  try {
    const owners = (await describeAny(session, context)).map(({ ownerId }) => ownerId);
    // An account without any instance left is told by who we are.
    const seenAccounts = owners.length > 0 ? owners : [await callerAccount(session, context)];
    return seenAccounts.every((account) => accounts.has(account));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    context.log.debug(`cannot vouch for the account: ${error.message}`);
    return false;
  }
}

const names = new Set(['GetCallerIdentityResponse', 'GetCallerIdentityResult', 'Account']);

async function callerAccount(session: AccountSession, context: Context): Promise<string> {
  const response = await session.request('sts', { Action: 'GetCallerIdentity' }, context);
  if (response.is === 'refusal') throw response.failure;
  return textAt(readXml(response.body, names), 'GetCallerIdentityResult', 'Account') ?? '';
}
