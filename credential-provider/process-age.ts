import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;
/** In proc_pid_stat(5) the 22nd field; the second, the name, may hold anything, and ends with the last parenthesis. */
const startFieldAfterName = 19;
/** The kubelet would have killed us; what looks older is a mistake of ours. */
const maxAgeMs = 60_000;

/**
 * How long this process has been there, other programs in it before us included: the kubelet counts from then, and the
 * front end may have waited in vain before it became us. 0 where that cannot be told.
 */
export function processAgeMs(): number {
  try {
    return ageMs(readFileSync('/proc/self/stat', 'utf8'), readFileSync('/proc/uptime', 'utf8'));
  } catch {
    return 0;
  }
}

export function ageMs(stat: string, uptime: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startedS = Number(fields[startFieldAfterName]) / ticksPerSecond;
  const age = (Number.parseFloat(uptime) - startedS) * 1_000;
  return age > 0 && age <= maxAgeMs ? age : 0;
}
