import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hostArchitecture } from '../../../../build/architecture.ts';
import { findCompiler } from '../../../../build/executables/compiler.ts';
import { createAuthority } from '../../../lab/authority.ts';
import type { Support } from '../../../lab/requires.ts';
import { createNamespace } from '../../../lab/network/namespace.ts';
import type { RunResult } from '../../../lab/network/run-command.ts';
import { namespaceSupport } from '../../../lab/network/support.ts';
import { createWarmHost, pluginDirectory, pluginName } from '../../../lab/warm/warm-host.ts';
import type { WarmHost } from '../../../lab/warm/warm-host.ts';

/** The front end, with a broker of the test and a stub of the full program. */
export interface FrontEndFixture {
  readonly host: WarmHost;
  /** The path of the broker's socket, outside the namespace. */
  readonly socketPath: string;
  ask(more?: Partial<FrontCall>): Promise<RunResult>;
  stop(): Promise<void>;
}

export interface FrontCall {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  readonly baseName: string;
}

/** The output of the stub of the full program. */
export interface FullProgramStart {
  readonly full: string;
  readonly arguments: number;
  readonly variables: string;
  readonly bytes: number;
  readonly sum: number;
}

export const defaultCall: FrontCall = {
  args: [],
  env: { HOME: '/nowhere' },
  input: '{"image":"a"}\n',
  baseName: pluginName,
};

const timeoutMs = 70_000;

export async function frontSupport(): Promise<Support> {
  if (findCompiler(hostArchitecture()) === undefined) {
    return { available: false, reason: 'the front end needs a C compiler (Debian packages gcc and libc6-dev)' };
  }
  return namespaceSupport();
}

export async function createFrontEndFixture(): Promise<FrontEndFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-front-'));
  const { certificateFile } = await createAuthority(directory);
  const namespace = await createNamespace({ addresses: [], hosts: {}, trust: certificateFile });
  const host = await createWarmHost(namespace);
  await installFakeFullProgram(host);
  await mkdir(host.path('/run/polycloud'), { mode: 0o700 });
  return {
    host,
    socketPath: host.path('/run/polycloud/broker.sock'),
    ask: async (more = {}) => {
      const { args, env, input, baseName } = { ...defaultCall, ...more };
      return host.askPlugin(args, { env, input, timeoutMs }, baseName);
    },
    stop: async () => {
      namespace.remove();
      await rm(directory, { recursive: true });
    },
  };
}

async function installFakeFullProgram(host: WarmHost): Promise<void> {
  const file = host.path(`${pluginDirectory}/${pluginName}-full`);
  await rm(file);
  const source = fileURLToPath(new URL('full-program.c', import.meta.url));
  await promisify(execFile)(findCompiler(hostArchitecture()) ?? 'gcc', ['-O1', '-o', file, source]);
}

/** Gives the copy of the front end another name, like the links for entries of the kubelet's configuration. */
export async function copyUnderName(host: WarmHost, baseName: string): Promise<void> {
  const copy = host.path(`${pluginDirectory}/${baseName}`);
  await copyFile(host.path(`${pluginDirectory}/${pluginName}`), copy);
  await chmod(copy, 0o755);
}

export interface FakeBroker {
  readonly server: Server;
  /** What was received, in the order in which the connections ended. */
  readonly received: string[];
  readonly connections: () => number;
  close(): void;
}

/** By default it reads to the end; then it does what the test sets. */
export async function startFakeBroker(socketPath: string, behave: (socket: Socket) => void): Promise<FakeBroker> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => (text += part));
    socket.on('error', () => {});
    socket.on('end', () => {
      received.push(text);
      behave(socket);
    });
  });
  await rm(socketPath, { force: true });
  server.listen(socketPath);
  await once(server, 'listening');
  return {
    server,
    received,
    connections: () => connections,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** `undefined`: the output is not that of the full program. */
export function parseFullProgramStart({ stdout }: Pick<RunResult, 'stdout'>): FullProgramStart | undefined {
  const parsed = JSON.parse(stdout) as Partial<FullProgramStart>;
  return parsed.full === undefined ? undefined : (parsed as FullProgramStart);
}
