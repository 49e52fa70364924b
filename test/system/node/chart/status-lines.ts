import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectDirectory } from '../../../../build/project.ts';
import type { ControlPlane } from '../../../lab/control-plane/control-plane.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import { freePort } from '../../../lab/control-plane/free-port.ts';
import { runCommand } from '../../../lab/network/run-command.ts';
import type { RunResult } from '../../../lab/network/run-command.ts';

const guide = join(projectDirectory, 'docs/guides/install.md');
const port = '10258';

/** Runs the lines of the guide in a shell, as they stand there, but for a local port that is free. */
export async function runStatusLines({ adminKubeconfig }: Pick<ControlPlane, 'adminKubeconfig'>): Promise<RunResult> {
  const section = (await readFile(guide, 'utf8')).split('\n## Status pages\n')[1] ?? '';
  const lines = /^```sh\n(.*?)^```$/ms.exec(section)?.[1];
  if (lines === undefined) throw new Error('the guide has no lines');
  const local = String(await freePort());
  const command = lines
    .replace(`${port} &`, `${local}:${port} >&2 &`)
    .replace(`127.0.0.1:${port}`, `127.0.0.1:${local}`);
  const { programs } = await findPrograms();
  const path = [dirname(programs.kubectl), process.env['PATH']].join(':');
  // kubectl keeps what it finds out below HOME.
  const home = await mkdtemp(join(tmpdir(), 'kubectl-'));
  try {
    const env = { PATH: path, KUBECONFIG: adminKubeconfig, HOME: home };
    const script = `trap 'kill $!' EXIT\n${command}`;
    return await runCommand('/bin/sh', ['-e', '-c', script], { env, input: '', timeoutMs: 60_000 });
  } finally {
    await rm(home, { recursive: true });
  }
}
