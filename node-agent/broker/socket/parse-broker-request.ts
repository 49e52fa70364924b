import { brokerProtocol, previousBrokerProtocol } from '../../../schemas/broker.ts';

/** What came over the socket. */
export interface BrokerRequest {
  readonly baseName: string;
  /** The kubelet's own bytes. */
  readonly request: string;
}

const protocols: readonly string[] = [brokerProtocol, previousBrokerProtocol];

/** `undefined`: another version of the protocol, or none at all. */
export function parseBrokerRequest(text: string): BrokerRequest | undefined {
  const lineEnd = text.indexOf('\n');
  const [protocol = '', baseName = '', ...rest] = text.slice(0, Math.max(0, lineEnd)).split(' ');
  if (!protocols.includes(protocol) || baseName === '' || rest.length > 0) return undefined;
  return { baseName, request: text.slice(lineEnd + 1) };
}

const protocolPrefix = Buffer.from(`${brokerProtocol} `);

/** Does the sender wait for a sign of life before the answer? */
export function expectsAcknowledgement(bytes: Buffer): boolean {
  return bytes.subarray(0, protocolPrefix.length).equals(protocolPrefix);
}
