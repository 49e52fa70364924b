import { readFileSync } from 'node:fs';

/** Anonymous memory: file pages of the same executable swing by a factor of two. */
export function readRssAnonKb(processId: number | string): number {
  return readStatusKb(processId, 'RssAnon');
}

/** Anonymous memory and that of files. */
export function readRssKb(processId: number | string): number {
  return readStatusKb(processId, 'VmRSS');
}

function readStatusKb(processId: number | string, field: string): number {
  const status = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Number(new RegExp(String.raw`^${field}:\s+(\d+) kB$`, 'm').exec(status)?.[1]);
}

const ticksPerSecond = 100;

/** Time on a processor, user and system, of all its threads up to now. */
export function readCpuS(processId: number | string): number {
  const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
  // The name before the last parenthesis may hold anything; the two times are the 14th and 15th field.
  const [userTicks, systemTicks] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(userTicks) + Number(systemTicks)) / ticksPerSecond;
}
