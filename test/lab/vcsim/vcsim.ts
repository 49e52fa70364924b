import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { CertificateFiles } from '../authority.ts';

export interface Vcsim {
  /** `127.0.0.1:port` */
  readonly server: string;
  stop(): Promise<void>;
}

export interface VcsimSettings {
  readonly file: string;
  readonly tls: CertificateFiles;
  readonly username: string;
  readonly password: string;
  /** In each of the two resource pools of a datacenter. */
  readonly vms: number;
  /** The port of one that was stopped. */
  readonly port?: number;
}

/** Ends with this process, however that ends. */
export async function startVcsim(settings: VcsimSettings): Promise<Vcsim> {
  const { file, tls, username, password, vms, port = 0 } = settings;
  const place = ['-l', `127.0.0.1:${port}`, '-tlscert', tls.certificateFile, '-tlskey', tls.keyFile];
  const args = [...place, '-username', username, '-password', password, '-vm', String(vms)];
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) {
    const server = /^listening on (\S+)$/.exec(line)?.[1];
    if (server === undefined) continue;
    child.stdout.resume();
    return {
      server,
      stop: async () => {
        child.stdin.end();
        await ended;
      },
    };
  }
  throw new Error('vcsim ended before it listened');
}
