import { readdirSync, readFileSync } from 'node:fs';

/** The processes of the session that this process opened, itself among them, that run still. */
export function sessionOf(leader: number): readonly number[] {
  return processes().filter((pid) => runsIn(leader, pid));
}

/** Those whose command line has this in it. */
export function processesMentioning(text: string): readonly number[] {
  return processes().filter((pid) => read(pid, 'cmdline').includes(text));
}

function processes(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function runsIn(leader: number, pid: number): boolean {
  const stat = read(pid, 'stat');
  // After the name: state, parent, group, session.
  const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(session) === leader && state !== 'Z';
}

/** Empty when the process has ended in the meantime. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
