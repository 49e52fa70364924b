import { daemonMetrics } from '../../schemas/metrics/daemon.ts';
import { commit, version } from '../command-line/version.ts';
import type { Metrics } from './metrics.ts';

const { buildInfo, cpuSeconds, residentMemory, startTime, heapUsed } = daemonMetrics;

/** The metrics of the process, under the names that client libraries use, and the version of the program. */
export function addProcessMetrics(program: string, metrics: Metrics): void {
  const startedAtS = Math.round(Date.now() / 1_000 - process.uptime());
  metrics.gauge(buildInfo).set({ program, version, commit, nodejs: process.versions.node }, 1);
  metrics.measured(cpuSeconds, () => [[{}, usedCpuSeconds()]]);
  metrics.measured(residentMemory, () => [[{}, process.memoryUsage.rss()]]);
  metrics.measured(startTime, () => [[{}, startedAtS]]);
  metrics.measured(heapUsed, () => [[{}, process.memoryUsage().heapUsed]]);
}

function usedCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
