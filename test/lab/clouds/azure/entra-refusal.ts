import { randomUUID } from 'node:crypto';
import type { LabResponse } from '../cloud.ts';
import { json } from './tokens.ts';

/** Why Entra gives no token. The texts are like its own; ids and parts of what was sent stand in them. */
export type EntraFailure = readonly [code: number, text: string];

export function isRefusal(value: unknown): value is EntraFailure {
  return Array.isArray(value) && typeof value[0] === 'number';
}

export function errorResponse([code, text]: EntraFailure, nowMs: number): LabResponse {
  const [status, error] = httpErrors[code] ?? [400, 'invalid_request'];
  const trace = randomUUID();
  const correlation = randomUUID();
  const timestamp = new Date(nowMs).toISOString().replace('T', ' ').replace(/\.\d+/, '');
  const ids = `Trace ID: ${trace} Correlation ID: ${correlation} Timestamp: ${timestamp}`;
  return json(status, {
    error,
    error_description: `AADSTS${String(code)}: ${text} ${ids}`,
    error_codes: [code],
    timestamp,
    trace_id: trace,
    correlation_id: correlation,
    error_uri: `https://login.microsoftonline.com/error?code=${String(code)}`,
  });
}

const client = [401, 'invalid_client'] as const;

const httpErrors: Readonly<Record<number, readonly [status: number, error: string]>> = {
  90002: [400, 'invalid_request'],
  700016: [400, 'unauthorized_client'],
  70003: [400, 'unsupported_grant_type'],
  70011: [400, 'invalid_scope'],
  500011: [400, 'invalid_resource'],
  7000215: client,
  7000216: client,
  7000222: client,
  700211: client,
  700212: client,
  700213: client,
  700023: client,
  700024: client,
  700027: client,
  50013: client,
  50027: client,
};
