import { request } from 'node:https';
import type { RequestOptions } from 'node:https';

export interface TestResponse {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
  /** Fingerprint of the certificate that the server showed. */
  readonly fingerprint: string;
}

/** One request on its own connection, to a server with a self-signed certificate. */
export function sendRequest(
  port: number,
  path: string,
  changes: RequestOptions & { readonly body?: string },
): Promise<TestResponse> {
  const { body, ...options } = changes;
  const { promise, resolve, reject } = Promise.withResolvers<TestResponse>();
  const outgoing = request({ host: '127.0.0.1', port, path, agent: false, rejectUnauthorized: false, ...options });
  let fingerprint = '';
  outgoing.on('error', reject);
  outgoing.on('response', (incoming) => {
    const socket = incoming.socket as typeof incoming.socket & {
      getPeerX509Certificate?(): { fingerprint256: string } | undefined;
    };
    fingerprint = socket.getPeerX509Certificate?.()?.fingerprint256 ?? '';
    let text = '';
    incoming.setEncoding('utf8');
    incoming.on('data', (part: string) => {
      text += part;
    });
    incoming.on('error', reject);
    incoming.on('end', () =>
      resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, fingerprint }),
    );
  });
  outgoing.end(body);
  return promise;
}
