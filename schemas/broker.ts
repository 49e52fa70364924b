/**
 * What the front end (credential-provider/front/) and the agent's broker say to each other over a unix socket. There: one
 * line with the protocol and the base name that the kubelet called, then its request to the end of the stream. Back: one
 * line with the protocol and the outcome, a text of whole lines, and a last line that shows that nothing is missing.
 * Whoever reads a protocol that it does not know makes nothing of it, and the full program answers.
 */
export const brokerProtocol = 'polycloud/1';
export const brokerEnd = 'end';
export const brokerSocket = '/run/polycloud/broker.sock';

/** `decline`: the broker could not answer as the full program would, which is started for it. */
export type BrokerOutcome = 'answer' | 'failure' | 'decline';

export const brokerLimits = {
  /** Far more than a token and the annotations of a service account that matter here. */
  requestBytes: 131_072,
  /** What the front end has room for. */
  answerBytes: 32_768,
} as const;

/** Base names that promise to be another program. */
export const dropInNames: readonly string[] = [
  'ecr-credential-provider',
  'acr-credential-provider',
  'auth-provider-gcp',
];

/** Files below the home directory that the front end has seen to be absent before it asks. */
export const absentHomeFiles: readonly string[] = [
  '.aws/config',
  '.aws/credentials',
  '.config/gcloud/application_default_credentials.json',
];
