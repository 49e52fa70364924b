import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostArchitecture } from '../../../build/architecture.ts';
import { makeProgramArchive } from '../../../build/release/program-archive.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { programImages } from '../../lab/helm/program-images.ts';
import type { LabNode } from '../../lab/node/lab-node.ts';

const name = 'polycloud-credential-provider';
const version = '0.1.0';

/** The image's copier, in a pod without root, into a directory of the host. Returns the path of the program there. */
export async function copyFromImage(node: LabNode<'aws'>): Promise<string> {
  const { files, remove } = await programImages([name]);
  try {
    for (const file of files) await node.importArchive(file);
  } finally {
    await remove();
  }
  const directory = '/opt/polycloud-copied';
  await runOn(node, 'install', ['--directory', '--owner=65532', '--mode=0755', directory]);
  await node.runPod({
    name: 'copier',
    image: `localhost/${name}:${version}`,
    container: {
      args: ['copy', '/target'],
      securityContext: {
        runAsNonRoot: true,
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      volumeMounts: [{ name: 'target', mountPath: '/target' }],
    },
    spec: {
      restartPolicy: 'Never',
      volumes: [{ name: 'target', hostPath: { path: directory, type: 'Directory' } }],
    },
  });
  await waitUntil({ what: 'the copier has ended', withinMs: 60_000, everyMs: 100 }, async () => {
    const { body } = await node.plane.ask('GET', '/api/v1/namespaces/default/pods/copier');
    const { phase } = (body as { readonly status: { readonly phase: string } }).status;
    if (phase === 'Failed') throw new Error(`the copier failed: ${JSON.stringify(body)}`);
    return phase === 'Succeeded' || undefined;
  });
  await node.deletePod('copier');
  return `${directory}/${name}`;
}

/** The archive of a release, unpacked with tar. Returns the path of the program. */
export async function unpackArchive(node: LabNode<'aws'>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-archive-'));
  try {
    const file = join(directory, 'archive.tar.gz');
    await writeFile(file, await makeProgramArchive(hostArchitecture(), version, 'licences\n'));
    await runOn(node, 'tar', ['--extract', '--gzip', `--file=${file}`, '--directory=/opt']);
  } finally {
    await rm(directory, { recursive: true });
  }
  return `/opt/polycloud-${version}/${name}`;
}

async function runOn(node: LabNode<'aws'>, file: string, args: readonly string[]): Promise<void> {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  const { code, stdout, stderr } = await node.run(file, args, { env, input: '', timeoutMs: 120_000 });
  if (code !== 0) throw new Error(`${file} ended with ${String(code)}: ${stdout}${stderr}`);
}
