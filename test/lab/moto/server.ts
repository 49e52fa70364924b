import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Moto {
  /** Every service is behind this one address. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts moto on a free port of 127.0.0.1; it ends with this process, however that ends. */
export async function startMoto(python: string): Promise<Moto> {
  const child = spawn(python, ['-c', program], { stdio: ['pipe', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const stderrLines: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    stderrLines.push(line);
    const url = /Running on (http:\/\/[\d.]+:\d+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stderr.resume();
    return {
      url,
      stop: async () => {
        child.stdin.end();
        await ended;
      },
    };
  }
  throw new Error(`moto did not start: ${stderrLines.join('\n')}`);
}

const program = `
import os, sys, threading
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
from moto.server import main
main(["-H", "127.0.0.1", "-p", "0"])
`;
