import { randomUUID } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { collectOutput } from '../../support/collect-output.ts';
import type { Namespace } from '../network/namespace.ts';
import { insideRoot } from './inside-root.ts';

export interface ServerSpec {
  readonly projectId: string;
  readonly name: string;
  readonly flavor: string;
  readonly zone: string;
  /** If it is left out, a new one. Ports name it as their device. */
  readonly id?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly accessIPv4?: string;
  readonly accessIPv6?: string;
}

/** Nova calls ACTIVE, SHUTOFF, ERROR, SHELVED_OFFLOADED and SOFT_DELETED so inside. */
export type VmState = 'active' | 'stopped' | 'error' | 'shelved_offloaded' | 'soft-delete';

export interface Servers {
  /** Reads the addresses of the ports that have it as device. */
  create(server: ServerSpec): Promise<string>;
  /** Reads them again. */
  change(
    id: string,
    changed: { readonly vmState?: VmState; readonly metadata?: ServerSpec['metadata'] },
  ): Promise<void>;
  delete(id: string): Promise<void>;
}

const script = fileURLToPath(new URL('servers.py', import.meta.url));

/** Nothing boots: servers are written into Nova's databases by Nova's own code. Ends with the namespace. */
export async function openServers(
  { namespace, root, directory }: { readonly namespace: Namespace; readonly root: string; readonly directory: string },
  userId: string,
): Promise<Servers> {
  await copyFile(script, join(directory, 'servers.py'));
  const { file, args } = insideRoot({ root, work: directory }, ['python3', '/lab/servers.py']);
  const child = namespace.start(file, args, {});
  const errors = collectOutput({ stdout: null, stderr: child.stderr });
  const responses = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: responses have the order of the requests. */
  function send(request: Readonly<Record<string, unknown>>): Promise<void> {
    const sent = last.then(async () => {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const { done } = await responses.next();
      if (done === true) throw new Error(`Nova's objects refused ${JSON.stringify(request)}: ${errors()}`);
    });
    last = sent.catch(() => undefined);
    return sent;
  }
  return {
    create: async ({ id = randomUUID(), metadata = {}, ...server }) => {
      await send({ action: 'create', id, userId, metadata, hostname: hostnameOf(server.name), ...server });
      return id;
    },
    change: (id, changed) => send({ action: 'change', id, ...changed }),
    delete: (id) => send({ action: 'delete', id }),
  };
}

/** As Nova makes it of a name. */
function hostnameOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-');
}
