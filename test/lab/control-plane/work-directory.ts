import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where one control plane, one node or one OpenStack keeps what it has. */
export interface WorkDirectory {
  readonly path: string;
  readonly logs: string;
  remove(): Promise<void>;
  /** Removes everything else. */
  keepLogs(): Promise<void>;
}

/** Its name has the process that created it. Directories of killed processes are removed. */
export async function makeWorkDirectory(owner: (typeof owners)[number]): Promise<WorkDirectory> {
  await removeAbandoned();
  const path = join(tmpdir(), `polycloud-${owner}-${String(process.pid)}-${randomBytes(4).toString('hex')}`);
  const logs = logsOf(path);
  await mkdir(path, { mode: 0o700 });
  await mkdir(logs);
  return {
    path,
    logs,
    remove: () => rm(path, { recursive: true, force: true }),
    keepLogs: () => removeAllButLogs(path),
  };
}

const owners = ['control-plane', 'node', 'openstack'] as const;
const pattern = new RegExp(`^polycloud-(?:${owners.join('|')})-(?<pid>\\d+)-[0-9a-f]{8}$`);
const logsName = 'logs';
/** Long enough to read them. */
const keepLogsMs = 24 * 60 * 60 * 1000;

export function logsOf(path: string): string {
  return join(path, logsName);
}

async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = pattern.exec(name)?.groups?.['pid'];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) await clear(join(tmpdir(), name));
  }
}

/** Another process may do the same at the same time. */
async function clear(path: string): Promise<void> {
  const changedAtMs = await stat(logsOf(path)).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
  if (Date.now() - changedAtMs > keepLogsMs) await rm(path, { recursive: true, force: true });
  else await removeAllButLogs(path).catch(() => undefined);
}

async function removeAllButLogs(path: string): Promise<void> {
  const others = (await readdir(path)).filter((name) => name !== logsName);
  await Promise.all(others.map((name) => rm(join(path, name), { recursive: true, force: true })));
}
