import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;
/** Field 22 of proc_pid_stat(5). Field 2, the name, can contain anything and ends with the last parenthesis. */
const startFieldAfterName = 19;
/** The kubelet kills older processes, so a greater age is an error of ours. */
const maxAgeMs = 60_000;

/**
 * The age of this process, including the time of the front end before it executed this program: the kubelet's time limit
 * starts with the process. 0 where it is not known.
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
