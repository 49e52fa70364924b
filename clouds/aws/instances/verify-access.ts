import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { AccountSession } from './account-session.ts';
import { describeAny } from './describe.ts';
import { readXml, textAt } from './xml.ts';

/**
 * Do the credentials still belong to the account of our nodes? With keys of another account every id would be "not
 * found". If no account is known, or the answer cannot be found out, the result is false.
 */
export async function verifyAccess(
  accounts: ReadonlySet<string>,
  session: AccountSession,
  context: Context,
): Promise<boolean> {
  if (accounts.size === 0) {
    context.log.debug('the account of the nodes is not known: none of their instances was found yet');
    return false;
  }
  try {
    const owners = (await describeAny(session, context)).map(({ ownerId }) => ownerId);
    // An account without instances is identified by the caller's identity.
    const seenAccounts = owners.length > 0 ? owners : [await callerAccount(session, context)];
    return seenAccounts.every((account) => accounts.has(account));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    context.log.debug(`the access to the account could not be verified: ${error.message}`);
    return false;
  }
}

const names = new Set(['GetCallerIdentityResponse', 'GetCallerIdentityResult', 'Account']);

async function callerAccount(session: AccountSession, context: Context): Promise<string> {
  const response = await session.request('sts', { Action: 'GetCallerIdentity' }, context);
  if (response.is === 'refusal') throw response.failure;
  return textAt(readXml(response.body, names), 'GetCallerIdentityResult', 'Account') ?? '';
}
