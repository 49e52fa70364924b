import type { LabRequest } from './cloud.ts';

export interface RecordedRequest extends LabRequest {
  /** Which TCP connection it came over; all connections to a cloud are counted from 1. */
  readonly connection: number;
  readonly receivedAtMs: number;
  /** Absent as long as no status line was sent, and when none ever was. */
  readonly status?: number;
}

export interface RequestLog {
  add(request: LabRequest, connection: number): LogEntry;
  all(): readonly RecordedRequest[];
  clear(): void;
}

export interface LogEntry {
  setStatus(status: number): void;
}

export function createRequestLog(): RequestLog {
  let records: RecordedRequest[] = [];
  return {
    add: (request, connection) => {
      const index = records.length;
      const log = records;
      const record = { ...request, connection, receivedAtMs: Date.now() };
      log.push(record);
      return {
        setStatus: (status) => {
          log[index] = { ...record, status };
        },
      };
    },
    all: () => [...records],
    clear: () => {
      records = [];
    },
  };
}
