import type { Metrics } from './metrics.ts';

/** The metrics of the process, under the names that client libraries use. */
export function addProcessMetrics(metrics: Metrics): void {
  const startedAtS = Math.round(Date.now() / 1_000 - process.uptime());
  add(metrics, 'process_cpu_seconds_total', 'Processor time used, in seconds', cpuSeconds);
  add(metrics, 'process_resident_memory_bytes', 'Resident memory', () => process.memoryUsage.rss());
  add(metrics, 'process_start_time_seconds', 'When the process started, in seconds since 1970', () => startedAtS);
  add(metrics, 'nodejs_heap_size_used_bytes', 'JavaScript heap in use', () => process.memoryUsage().heapUsed);
}

function add(metrics: Metrics, name: string, help: string, read: () => number): void {
  const type = name.endsWith('_total') ? 'counter' : 'gauge';
  metrics.measured({ name, help, type, labels: {} }, () => [[{}, read()]]);
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
