import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Context } from '../../../lib/context.ts';
import type { Cloud, CloudEntry, Identity, Login, Registry } from '../../../clouds/cloud.ts';
import { Failure } from '../../../lib/failure.ts';
import type { Host } from '../../../lib/host.ts';
import { createMetrics } from '../../../lib/metrics/metrics.ts';
import { Secret } from '../../../lib/secret.ts';
import { startBroker } from '../../../node-agent/broker/broker.ts';
import type { Broker, BrokerSettings } from '../../../node-agent/broker/broker.ts';
import { brokerProtocol } from '../../../schemas/broker.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';
import { logInto } from '../../support/logs.ts';
import { bareTraits } from '../../clouds/bare-traits.ts';

/** A broker in this process, in front of a cloud that records its logins. */
export interface BrokerHarness {
  readonly broker: Broker;
  readonly clock: FakeClock;
  readonly socketPath: string;
  readonly metricsText: () => string;
  readonly logLines: string[];
  /** The logins of the cloud, in order. */
  readonly loginCalls: LoginCall[];
  /** How often an `Http` was opened. */
  readonly openedHttpCount: () => number;
  /** What tests can change. */
  readonly environment: HarnessEnvironment;
  ask(image: string, more?: Readonly<Record<string, unknown>>): Promise<string>;
  stop(): Promise<void>;
}

export interface LoginCall {
  readonly registry: Registry;
  readonly identity: Identity;
}

export interface HarnessEnvironment {
  /** By path. */
  files: Readonly<Record<string, string>>;
  /** Runs for each login; the cloud returns one unless this throws. */
  onLogin: (call: LoginCall, context: Context) => void | Promise<void>;
  login: Partial<Login>;
}

export const startMs = Date.parse('2026-11-18T12:00:00Z');
export const hourMs = 3_600_000;

type HarnessSettings = Partial<Pick<BrokerSettings, 'clusterKeys' | 'clouds' | 'writeEvent'>> & {
  /** By path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Prepares the path of the socket before the broker starts. */
  readonly prepare?: (socketPath: string) => Promise<void>;
};

export async function createBrokerHarness({
  prepare,
  files = {},
  ...settings
}: HarnessSettings): Promise<BrokerHarness> {
  const clock = createFakeClock(startMs);
  // Not below the project: the path of a socket must be short.
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-'));
  const socketPath = join(directory, 'run/broker.sock');
  await prepare?.(socketPath);
  const loginCalls: LoginCall[] = [];
  const logLines: string[] = [];
  const environment: HarnessEnvironment = { files, onLogin: () => {}, login: {} };
  const metrics = createMetrics();
  const host: Host = {
    homeDirectory: '/root',
    readText: async (path) => environment.files[path],
    runCommand: async () => Promise.reject(new Error('nothing is run here')),
  };
  let opened = 0;
  const broker = await startBroker({
    socketPath,
    place: { kind: 'agent' },
    clouds: [toyCloud(clock, loginCalls, environment)],
    host,
    clock,
    metrics,
    ...settings,
    random: () => 0.5,
    log: logInto((line) => void logLines.push(line)),
    openHttp: () => {
      opened += 1;
      return { send: async () => Promise.reject(new Error('no request is expected')) };
    },
  });
  const ask = (image: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> =>
    exchange(socketPath, `${brokerProtocol} polycloud-credential-provider\n${requestFor(image, more)}`);
  const stop = async (): Promise<void> => {
    await broker.stop();
    await rm(directory, { recursive: true });
  };
  return {
    broker,
    clock,
    socketPath,
    metricsText: metrics.text,
    logLines,
    loginCalls,
    openedHttpCount: () => opened,
    environment,
    ask,
    stop,
  };
}

function toyCloud(clock: FakeClock, loginCalls: LoginCall[], environment: HarnessEnvironment): CloudEntry {
  const logIn = async (registry: Registry, identity: Identity, context: Context): Promise<Login> => {
    loginCalls.push({ registry, identity });
    const number = loginCalls.length;
    await environment.onLogin({ registry, identity }, context);
    const expiresAtMs = clock.wallMs() + 12 * hourMs;
    return {
      username: `login ${number}`,
      password: new Secret('p'),
      expiresAtMs,
      endsWithToken: false,
      ...environment.login,
    };
  };
  const toy: Cloud = {
    name: 'toy',
    registry: {
      match: ({ host, registry }) =>
        host.endsWith('.toy.example') ? { kind: 'toy', authKey: registry, servesWholeHost: true } : undefined,
      logIn,
    },
  };
  return { ...bareTraits('toy'), load: async () => toy };
}

export function requestFor(image: string, more: Readonly<Record<string, unknown>>): string {
  const apiVersion = 'credentialprovider.kubelet.k8s.io/v1';
  return `${JSON.stringify({ kind: 'CredentialProviderRequest', apiVersion, image, ...more })}\n`;
}

/** Writes, closes that half, and reads to the end. */
export async function exchange(socketPath: string, text: string): Promise<string> {
  const socket = createConnection(socketPath);
  socket.on('error', () => socket.destroy());
  socket.end(text);
  return (await buffer(socket)).toString('utf8');
}

export function denied(): never {
  throw new Failure('denied', 'the cloud refuses it', { remedy: 'allow it' });
}
