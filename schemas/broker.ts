/**
 * What the front end (credential-provider/front/) and the agent's broker send each other over a unix socket; in full in
 * docs/guides/broker.md. If one of them does not know the protocol of the other, the full program answers.
 */
export const brokerProtocol = 'polycloud/2';
/** Front ends of the last minor version send it. They get no acknowledgement before the answer. */
export const previousBrokerProtocol = 'polycloud/1';
export const brokerEnd = 'end';
export const brokerSocket = '/run/polycloud/broker.sock';
/** In the same directory: where the broker of the host listens. While it does, the path above is a hard link to it. */
export const hostSocketName = 'host-broker.sock';

/** `decline`: the broker could not answer as the full program would, which is started for it. */
export type BrokerOutcome = 'answer' | 'failure' | 'decline';

export const brokerLimits = {
  /** Far more than a token and the annotations of a service account that matter here. */
  requestBytes: 131_072,
  /** What the front end has room for. */
  answerBytes: 32_768,
  /** The broker answers with its own reason before the front end gives up on it (`answer_ms` in front-end.c). */
  answerMs: 17_500,
} as const;

/** Base names that promise to be another program. */
export const emulatedProviderNames: readonly string[] = [
  'ecr-credential-provider',
  'acr-credential-provider',
  'auth-provider-gcp',
];
