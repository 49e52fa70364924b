import type { Test } from 'tap';
import { systemClock } from '../../../lib/clock.ts';
import { createMetrics } from '../../../lib/metrics/metrics.ts';
import { delegatedAccess } from '../../../lib/server/access/request-access.ts';
import type { Reviews } from '../../../lib/server/access/reviews.ts';
import type { User } from '../../../lib/server/access/user.ts';
import { certificateSource } from '../../../lib/server/certificate/certificate-source.ts';
import { operationsPages } from '../../../lib/server/operations-pages.ts';
import { startServer } from '../../../lib/server/server.ts';
import type { ServerParts } from '../../../lib/server/server.ts';
import { logInto } from '../../support/logs.ts';

export interface TestServer {
  readonly port: number;
  /** What the API server was asked, in order. */
  readonly asked: readonly string[];
  readonly lines: readonly string[];
  close(): Promise<void>;
}

export const goodToken = 'good-token';
const scraper: User = { username: 'scraper', groups: ['system:authenticated'] };

/** A server whose API server knows one token, and allows only its owner to read /metrics. */
export async function startTestServer(t: Test, changes: Partial<ServerParts>): Promise<TestServer> {
  const asked: string[] = [];
  const lines: string[] = [];
  const metrics = createMetrics();
  metrics.counter({ name: 'seen_total', help: 'Seen.', labels: {} }).add({}, 7);
  const pages = { live: [], ready: [], metrics, status: () => 'all is well\n' };
  const server = await startServer({
    port: 0,
    address: '127.0.0.1',
    tls: { minVersion: 'TLSv1.2' },
    certificate: certificateSource(
      { kind: 'memory' },
      { clock: systemClock, readText: () => Promise.resolve(undefined) },
    ),
    clientAuthorities: () => Promise.resolve(''),
    access: delegatedAccess(knownReviews(asked), 10_000, systemClock),
    pages: operationsPages(pages),
    clock: systemClock,
    log: logInto((line) => lines.push(line), 1),
    ...changes,
  });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= server.close());
  t.teardown(close);
  return { port: server.port, asked, lines, close };
}

function knownReviews(asked: string[]): Reviews {
  return {
    authenticate: (token) => {
      asked.push('whose');
      return Promise.resolve(token.reveal() === goodToken ? scraper : undefined);
    },
    authorize: (user, query) => {
      asked.push(`${user.username} ${query.verb} ${query.path}`);
      return Promise.resolve(user.username === 'scraper' && query.path === '/metrics');
    },
  };
}
