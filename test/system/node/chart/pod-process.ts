import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import type { EmbeddedName } from '../../../lab/clouds/embedded.ts';
import type { LabNode } from '../../../lab/node/lab-node.ts';

/** One of our programs in its pod, as the node's root sees it. */
export interface PodProcess {
  readonly startedAtMs: number;
  /** What the kubelet has put there for it. */
  readonly token: string;
}

/** The only process of that executable on the node. */
export async function findPodProcess<Name extends EmbeddedName>(
  node: LabNode<Name>,
  program: string,
): Promise<PodProcess> {
  const args = ['-c', script, 'find', `/usr/local/bin/${program}`];
  return waitUntil({ what: `${program} runs in a pod`, withinMs: 60_000, everyMs: 100 }, async () => {
    const { stdout } = await node.run('/bin/sh', args, { env: {}, input: '', timeoutMs: 10_000 });
    const [uptime, stat, token, ...others] = stdout.trim().split('\n');
    if (others.length > 0) throw new Error(`${program} runs more than once`);
    if (uptime === undefined || stat === undefined || token === undefined) return undefined;
    return { startedAtMs: Date.now() - ageMs(uptime, stat), token };
  });
}

/** The token by its folder: with fs.protected_symlinks the kernel lets nobody but its owner follow the link of its name. */
const script = `
for process in /proc/[0-9]*; do
  if [ "$(readlink "$process/exe" 2>/dev/null)" = "$1" ]; then
    cat /proc/uptime "$process/stat" "$process/root/var/run/secrets/kubernetes.io/serviceaccount/..data/token"
    echo
  fi
done`;

const tickMs = 10;
/** Of the fields after the program's name, which may hold anything. */
const startField = 19;

function ageMs(uptime: string, stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(uptime.split(' ')[0]) * 1000 - Number(fields[startField]) * tickMs;
}
