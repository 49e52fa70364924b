import type { MetricDeclarations } from './declaration.ts';

/** The metrics of both daemons: about the process, its build, and its requests to the API server. */
export const daemonMetrics = {
  buildInfo: {
    name: 'polycloud_build_info',
    type: 'gauge',
    help: 'Always 1; the labels have the version of the program.',
    labels: { program: { atMost: 1 }, version: { atMost: 1 }, commit: { atMost: 1 }, nodejs: { atMost: 1 } },
  },
  cpuSeconds: {
    name: 'process_cpu_seconds_total',
    type: 'counter',
    help: 'Processor time used, in seconds',
    labels: {},
  },
  residentMemory: { name: 'process_resident_memory_bytes', type: 'gauge', help: 'Resident memory', labels: {} },
  startTime: {
    name: 'process_start_time_seconds',
    type: 'gauge',
    help: 'When the process started, in seconds since 1970',
    labels: {},
  },
  heapUsed: { name: 'nodejs_heap_size_used_bytes', type: 'gauge', help: 'JavaScript heap in use', labels: {} },
  apiRequests: {
    name: 'rest_client_requests_total',
    type: 'counter',
    help: 'Requests to the API server by status code and method; <error> is no response.',
    labels: { code: { atMost: 40 }, method: ['GET', 'POST', 'PATCH', 'DELETE'] },
  },
  apiRequestDuration: {
    name: 'rest_client_request_duration_seconds',
    type: 'histogram',
    help: 'Time from a request to the API server until its whole response, without watches.',
    labels: { verb: ['GET', 'POST', 'PATCH', 'DELETE'] },
    // As client-go.
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  },
} as const satisfies MetricDeclarations;
