import { brokerProtocol } from '../../../schemas/broker.ts';

/** What came over the socket. */
export interface Question {
  readonly baseName: string;
  /** The kubelet's own bytes. */
  readonly request: string;
}

/** `undefined`: another version of the protocol, or none at all. */
export function parseQuestion(text: string): Question | undefined {
  const lineEnd = text.indexOf('\n');
  const [protocol, baseName = '', ...rest] = text.slice(0, Math.max(0, lineEnd)).split(' ');
  if (protocol !== brokerProtocol || baseName === '' || rest.length > 0) return undefined;
  return { baseName, request: text.slice(lineEnd + 1) };
}
