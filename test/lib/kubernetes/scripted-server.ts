import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Test } from 'tap';
import type { KubernetesClient } from '../../../lib/kubernetes/client.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';
import { startHttp } from '../http/loopback.ts';
import { createTestClient, plainTarget, generousLimits, createMutableAccess } from './mutable-access.ts';
import type { MutableAccess } from './mutable-access.ts';
import { nodeObject } from './node-object.ts';

export const marker = 'hidden-word';
export const nodeA = nodeObject({ name: 'a', uid: '1', version: '7' });
export const nodeRef = { name: 'a' };

export type ScriptedResponse = (response: ServerResponse, request: IncomingMessage) => void;

export interface ClientSetup {
  readonly client: KubernetesClient;
  readonly access: MutableAccess;
  readonly clock: FakeClock;
  /** `GET /api/v1/nodes/a`, in order. */
  readonly asked: string[];
  readonly tokens: (string | undefined)[];
}

/** Answers in turn; the last answer stays. */
export async function setUpClient(t: Test, ...responses: readonly ScriptedResponse[]): Promise<ClientSetup> {
  const asked: string[] = [];
  const tokens: (string | undefined)[] = [];
  const server = await startHttp(t, (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    tokens.push(request.headers.authorization);
    responses[Math.min(asked.length, responses.length) - 1]?.(response, request);
  });
  const access = createMutableAccess(plainTarget(server.port, marker));
  const clock = createFakeClock(Date.parse('2026-11-18T12:00:00Z'));
  const client = createTestClient(access, clock, generousLimits);
  t.teardown(() => client.close());
  return { client, access, clock, asked, tokens };
}

export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): ScriptedResponse {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function errorResponse(
  code: number,
  reason: string,
  headers?: Readonly<Record<string, string>>,
): ScriptedResponse {
  return json({ kind: 'Status', status: 'Failure', reason, code, message: `it is ${reason}` }, code, headers);
}

/** Until another turn of the loop has brought it about. */
export async function waitFor(condition: () => boolean): Promise<void> {
  const deadlineAtMs = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadlineAtMs) throw new Error('it did not come about within 10 s');
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}

export async function collect<T>(found: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const each of found) all.push(each);
  return all;
}
