/** Why a request was not granted. Each protocol has its own codes and statuses for these. */
export interface Refusal {
  readonly refused: RefusalKind;
  readonly message: string;
}

export type RefusalKind =
  | 'unsigned'
  | 'badly-signed'
  | 'wrong-signature'
  | 'unknown-key'
  | 'expired-key'
  | 'denied'
  | 'unknown-operation'
  | 'unreadable'
  | 'invalid-parameter'
  | 'bad-web-identity'
  | 'expired-web-identity'
  | 'switched-off'
  | 'throttled';

export function refuse(refused: RefusalKind, message: string): Refusal {
  return { refused, message };
}

export function isRefusal(value: object): value is Refusal {
  return 'refused' in value;
}

/** What an identity without a policy for the action hears; `arn` is its own. */
export function deny(arn: string, action: string): Refusal {
  const sentence = `User: ${arn} is not authorized to perform: ${action} on resource: *`;
  return refuse('denied', `${sentence} because no identity-based policy allows the ${action} action`);
}
