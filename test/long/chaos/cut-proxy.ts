import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { ControlPlane } from '../../lab/control-plane/control-plane.ts';
import type { ChaosFault } from './faults.ts';

/** Leads to the API server, and cuts connections. */
export interface CutProxy {
  /** As seen from behind the proxy. */
  readonly plane: ControlPlane;
  readonly fault: ChaosFault;
  close(): void;
}

const cutEveryMs = 300;

export async function openCutProxy(plane: ControlPlane): Promise<CutProxy> {
  const sockets = new Set<Socket>();
  const target = Number(new URL(plane.url).port);
  const server = createServer((arrived) => forward(arrived, target, sockets));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rewrite = async (file: string): Promise<string> => {
    await writeFile(file, (await readFile(file, 'utf8')).replace(plane.url, url));
    return file;
  };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  let cutting: NodeJS.Timeout | undefined;
  return {
    plane: {
      ...plane,
      url,
      kubeconfigFor: async (user, groups) => rewrite(await plane.kubeconfigFor(user, groups)),
      kubeconfigWithToken: async (token) => rewrite(await plane.kubeconfigWithToken(token)),
    },
    fault: {
      name: 'connections to the API server are cut',
      begin: async () => {
        cut();
        cutting = setInterval(cut, cutEveryMs);
      },
      end: async () => clearInterval(cutting),
    },
    close: () => {
      server.close();
      cut();
    },
  };
}

function forward(arrived: Socket, port: number, sockets: Set<Socket>): void {
  const onward = connect({ host: '127.0.0.1', port });
  arrived.pipe(onward).pipe(arrived);
  for (const [one, other] of [
    [arrived, onward],
    [onward, arrived],
  ] as const) {
    sockets.add(one);
    one.on('error', () => other.destroy());
    one.on('close', () => {
      other.destroy();
      sockets.delete(one);
    });
  }
}
