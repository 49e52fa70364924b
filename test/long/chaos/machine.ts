import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Fault } from '../../lab/clouds/faults.ts';
import { showsSecret } from '../../lab/clouds/secrets.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import type { RunResult } from '../../lab/network/run-command.ts';
import { createWarmHost, pluginName } from '../../lab/warm/warm-host.ts';
import type { WarmHost } from '../../lab/warm/warm-host.ts';
import { startAgent, untilState } from '../../system/api-server/node-agent/agent-process.ts';
import type { AgentProcess } from '../../system/api-server/node-agent/agent-process.ts';
import { isInitialized, readNode, register } from '../../system/api-server/node-agent/nodes.ts';
import { ownInstance, ownProviderId, setInstance } from '../../system/api-server/node-agent/environment.ts';
import type { AgentTestEnvironment } from '../../system/api-server/node-agent/environment.ts';
import { requestBytes } from '../../system/programs/provider.ts';
import { untilDone } from './faults.ts';
import type { ChaosFault } from './faults.ts';

/** A machine of AWS with an agent that has a broker, and a front end that asks for logins. */
export interface AgentMachine {
  readonly faults: readonly (readonly ChaosFault[])[];
  pids(): readonly number[];
  /** Asks for logins all the time until then. Gives how many there were, and what was wrong with any answer. */
  pull(endsAtMs: number): Promise<{ readonly logins: number; readonly problems: readonly string[] }>;
  check(t: Test): Promise<void>;
}

const name = 'own';
const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/app:1';
const runDirectory = '/run/polycloud';
const kubeletKillsAfterMs = 60_000;
const doneWithinMs = 60_000;
/** Between two pulls. */
const pauseMs = 200;

export async function startAgentMachine(
  world: AgentTestEnvironment,
  env: Readonly<Record<string, string>>,
): Promise<AgentMachine> {
  const host = await createWarmHost(world.namespace);
  // The socket, its directory and a few files more: then the disk is full.
  await inside(host, `mkdir ${runDirectory} && mount -t tmpfs -o nr_inodes=8,mode=700 tmpfs ${runDirectory}`);
  await setInstance(world, {});
  await register(world, { name });
  const flags = ['--node-status-update-frequency', '500ms', '--broker-socket', `${runDirectory}/broker.sock`];
  const start = (): AgentProcess => startAgent(onHost(world, host), { nodeName: name, flags, env });
  let agent = start();
  const ask = (): Promise<RunResult> =>
    host.askPlugin(
      [],
      { env: { HOME: '/nowhere' }, input: requestBytes({ image }), timeoutMs: kubeletKillsAfterMs + 10_000 },
      pluginName,
    );

  const onAgent: readonly ChaosFault[] = [
    {
      name: 'the agent is stopped (SIGSTOP)',
      begin: async () => void process.kill(agent.pid, 'SIGSTOP'),
      end: async () => void process.kill(agent.pid, 'SIGCONT'),
    },
    {
      name: 'the agent is killed (SIGKILL)',
      begin: async () => void process.kill(agent.pid, 'SIGKILL'),
      end: async () => {
        agent = start();
      },
    },
    {
      name: 'the Node is deleted and registers again',
      begin: () =>
        untilDone(async () => expectStatus(await world.plane.ask('DELETE', `/api/v1/nodes/${name}`), [200, 404])),
      end: () => untilDone(async () => (await readNodeOrNone(world)) ?? register(world, { name })),
    },
  ];

  return {
    faults: [...onAgent.map((fault) => [fault]), [diskFault(host)], cloudFaults(world), oddMetadata(world)],
    pids: () => [agent.pid],
    pull: async (endsAtMs) => {
      let logins = 0;
      const problems: string[] = [];
      while (performance.now() < endsAtMs) {
        const result = await ask();
        if (result.code === 0) logins += 1;
        problems.push(...checkAnswer(result));
        await setTimeout(pauseMs);
      }
      return { logins, problems };
    },
    check: async (t) => {
      const node = await waitUntil({ what: 'the Node initialised', withinMs: doneWithinMs, everyMs: 200 }, async () => {
        const found = await readNodeOrNone(world);
        return found !== undefined && isInitialized(found) ? found : undefined;
      });
      t.equal(node.spec.providerID, ownProviderId);
      t.equal(node.metadata.labels?.['topology.kubernetes.io/zone'], ownInstance.zone, 'nothing odd stays on the Node');
      // The last fault can be that the agent was killed; the one that follows it takes a while to start.
      await waitUntil({ what: 'the agent answers', withinMs: doneWithinMs, everyMs: 200 }, () =>
        agent.status().catch(() => undefined),
      );
      const answers = async (): Promise<number> => (await agent.status()).broker?.requests['answer'] ?? 0;
      await waitUntil({ what: 'a login of the broker', withinMs: doneWithinMs, everyMs: 500 }, async () => {
        const before = await answers();
        const result = await ask();
        t.strictSame(checkAnswer(result), [], 'the answer of a pull');
        return result.code === 0 && (await answers()) > before ? true : undefined;
      });
      t.match(await untilState(agent, 'in-sync'), { state: 'in-sync' });
      t.notOk(showsSecret(agent.output()), 'no secret in the log of the agent');
    },
  };
}

/** The agent runs where the front end does. */
function onHost(world: AgentTestEnvironment, host: WarmHost): AgentTestEnvironment {
  const { namespace } = world;
  const target = /\d+/.exec(host.path(''))?.[0] ?? '';
  const into = [`--target=${target}`, '--mount', '--'];
  return {
    ...world,
    namespace: {
      ...namespace,
      start: (command, args, env) => namespace.start('/usr/bin/nsenter', [...into, command, ...args], env),
    },
  };
}

async function inside(host: WarmHost, script: string): Promise<void> {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  const { code, stderr } = await host.run('/bin/sh', ['-c', script], { env, input: '', timeoutMs: 10_000 });
  if (code !== 0) throw new Error(`${script}: ${stderr}`);
}

async function readNodeOrNone(world: AgentTestEnvironment): Promise<Awaited<ReturnType<typeof readNode>> | undefined> {
  const { status } = await world.plane.ask('GET', `/api/v1/nodes/${name}`);
  return status === 404 ? undefined : readNode(world, name);
}

function expectStatus({ status }: { readonly status: number }, expected: readonly number[]): void {
  if (!expected.includes(status)) throw new Error(`HTTP ${status}`);
}

/** A login for this registry, or one line with a hint. */
function checkAnswer({ code, stdout, stderr, durationMs }: RunResult): readonly string[] {
  const isLogin =
    /^\{"kind":"CredentialProviderResponse",[^\n]*"auth":\{"123456789012\.dkr\.ecr\.us-west-2\.amazonaws\.com":\{[^\n]*\}\n$/.test(
      stdout,
    );
  const isFailure = stdout === '' && /^polycloud-credential-provider: [^\n]+\n(?:[^\n]+\n)?$/.test(stderr);
  return [
    ...((code === 0 ? isLogin : code === 1 && isFailure)
      ? []
      : [`exit code ${code}, ${stdout.length} characters, ${stderr}`]),
    ...(durationMs < kubeletKillsAfterMs ? [] : [`it took ${Math.round(durationMs)} ms`]),
    ...(showsSecret(stderr) ? ['a secret on standard error'] : []),
  ];
}

/** The broker's socket is gone, and there is no place for another one. */
function diskFault(host: WarmHost): ChaosFault {
  const fill = `cd ${runDirectory}; rm -f broker.sock; for i in 1 2 3 4 5 6 7 8 9; do touch fill.$i 2>/dev/null || exit 0; done; exit 1`;
  return {
    name: 'the disk of the socket is full',
    begin: () => inside(host, fill),
    end: () => inside(host, `rm -f ${runDirectory}/fill.*`),
  };
}

const kinds: readonly Kind[] = [
  { kind: 'refuse' },
  { kind: 'status', status: 500 },
  { kind: 'throttle' },
  { kind: 'garbage' },
  { kind: 'empty' },
  { kind: 'huge', sizeMb: 2 },
  { kind: 'cut-off' },
  { kind: 'reset' },
  { kind: 'hang' },
  { kind: 'delay', delayMs: 700 },
  { kind: 'clock', aheadMs: 600_000 },
  { kind: 'expired' },
];

type Kind = Fault extends infer F ? (F extends Fault ? Omit<F, 'service'> : never) : never;

function cloudFaults({ aws }: AgentTestEnvironment): readonly ChaosFault[] {
  return ['imds', 'ecr'].flatMap((service) =>
    kinds.map((kind) => ({
      name: `${service}: ${kind.kind}`,
      begin: () => aws.addFault({ ...kind, service }),
      end: () => aws.clearFaults(),
    })),
  );
}

/** In the form of AWS's words, but none that a Node can have. */
function oddMetadata(world: AgentTestEnvironment): readonly ChaosFault[] {
  const odd = {
    'instance type': { instanceType: 'x'.repeat(200) },
    zone: { zone: 'moon-1a' },
    'zone id': { zoneId: '<html>' },
    'public address': { publicIp: '192.0.2' },
    addresses: { interfaces: [{ deviceIndex: 0, status: 'in-use' as const, privateIps: ['10.0.0'], ipv6: ['::x'] }] },
  };
  return Object.entries(odd).map(([what, changed]) => ({
    name: `odd metadata: ${what}`,
    begin: () => setInstance(world, changed),
    end: () => setInstance(world, {}),
  }));
}
