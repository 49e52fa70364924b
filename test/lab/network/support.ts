import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Support } from '../requires.ts';

/** Can network namespaces be created here? If not, `reason` names what is missing. */
export async function namespaceSupport(): Promise<Support> {
  if (process.platform !== 'linux') return missing('Linux');
  if (process.getuid?.() !== 0) return missing('root');
  const ip = findIp();
  if (ip === undefined) return missing('the command "ip" (Debian package iproute2)');
  const name = `polycloud-probe-${String(process.pid)}`;
  try {
    await runProgram(ip, ['netns', 'add', name]);
    await runProgram(ip, ['netns', 'exec', name, 'true']);
  } catch (error) {
    return missing(`the right to make them (CAP_SYS_ADMIN): ${String((error as { stderr?: unknown }).stderr).trim()}`);
  } finally {
    await runProgram(ip, ['netns', 'delete', name]).catch(() => undefined);
  }
  return { available: true };
}

/** By its full path: inside a namespace it is run with whatever PATH a test gives. */
export function findIp(): string | undefined {
  return ['/usr/sbin/ip', '/sbin/ip', '/usr/bin/ip', '/bin/ip'].find((path) => existsSync(path));
}

const runProgram = promisify(execFile);

function missing(what: string): Support {
  return { available: false, reason: `network namespaces need ${what}` };
}
