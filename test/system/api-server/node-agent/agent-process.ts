import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostArchitecture } from '../../../../build/architecture.ts';
import { executablePath } from '../../../../build/executables/executable.ts';
import type { AgentStatus } from '../../../../node-agent/status.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import type { RunResult } from '../../../lab/network/run-command.ts';
import type { AgentTestEnvironment } from './environment.ts';
import type { MachineEnvironment } from './machine-environment.ts';
import { collectOutput } from '../../../support/collect-output.ts';

const program = executablePath('polycloud-node-agent', hostArchitecture());

export interface AgentProcessSettings {
  readonly nodeName: string;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The executable, as it runs on a node. */
export interface AgentProcess {
  readonly pid: number;
  readonly startedAtMs: number;
  /** All output so far. */
  output(): string;
  status(): Promise<AgentStatus>;
  /** By SIGTERM; gives the exit code and how long it took. */
  stop(): Promise<{ readonly code: number | null; readonly durationMs: number }>;
  /** By SIGKILL. */
  kill(): Promise<void>;
}

export function startAgent(
  environment: MachineEnvironment,
  { nodeName, flags = [], env = {} }: AgentProcessSettings,
): AgentProcess {
  const { namespace, kubeconfig, directory } = environment;
  const socket = join(directory, nodeName, 'agent.sock');
  const args = ['--kubeconfig', kubeconfig, '--status-socket', socket, ...withDefaults(flags)];
  const startedAtMs = Date.now();
  const child = namespace.start(program, args, { NODE_NAME: nodeName, ...env });
  const output = collectOutput(child);
  const ended = once(child, 'close') as Promise<[number | null]>;
  const stop = async (): ReturnType<AgentProcess['stop']> => {
    const stoppedAtMs = performance.now();
    child.kill('SIGTERM');
    const [code] = await ended;
    return { code, durationMs: performance.now() - stoppedAtMs };
  };
  environment.atEnd(async () => void (await stop()));
  return {
    pid: child.pid ?? 0,
    startedAtMs,
    output,
    status: async () => {
      const { stdout, stderr } = await runAgent(environment, ['status', '--json', '--status-socket', socket]);
      if (stdout === '') throw new Error(stderr);
      return JSON.parse(stdout) as AgentStatus;
    },
    stop,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Without a server and a broker, unless a test wants them. */
function withDefaults(flags: readonly string[]): readonly string[] {
  const defaults = [
    ['--secure-port', '0'],
    ['--broker-socket', 'none'],
  ] as const;
  return [...defaults.filter(([flag]) => !flags.includes(flag)).flat(), ...flags];
}

/** To its end. */
function runAgent({ namespace }: MachineEnvironment, args: readonly string[]): Promise<RunResult> {
  return namespace.run(program, args, { env: {}, input: '', timeoutMs: 20_000 });
}

/** Fails with the actual output. */
export async function untilLogged(agent: AgentProcess, what: RegExp): Promise<void> {
  const wait = { what: `said ${String(what)}`, withinMs: 30_000, everyMs: 50 };
  await waitUntil(wait, () => Promise.resolve(what.test(agent.output()) || undefined)).catch((cause: unknown) => {
    throw new Error(`${String(what)} was not said, but:\n${agent.output().slice(-2_000)}`, { cause });
  });
}

/** So many readings of the metadata more, each begun with a session of its own. */
export async function untilMetadataRead({ aws }: AgentTestEnvironment, times: number): Promise<void> {
  const count = async (): Promise<number> =>
    (await aws.requests()).filter(({ path }) => path.endsWith('/macs/')).length;
  const before = await count();
  await waitUntil({ what: `metadata read ${String(times)} times`, withinMs: 30_000, everyMs: 50 }, async () =>
    (await count()) >= before + times ? true : undefined,
  );
}

/** Anonymous memory, in kilobytes. */
export async function anonymousKb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${String(pid)}/status`, 'utf8');
  return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]);
}

export async function untilState(agent: AgentProcess, state: AgentStatus['state']): Promise<AgentStatus> {
  return waitUntil({ what: `status ${state}`, withinMs: 30_000, everyMs: 100 }, async () => {
    const status = await agent.status().catch(() => undefined);
    return status?.state === state ? status : undefined;
  });
}
