import { setTimeout as wait } from 'node:timers/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CloudDefinition, LabRequest, Service } from './cloud.ts';
import type { Effects, Fault, FaultBook } from './faults.ts';
import { createFaultBook } from './faults.ts';
import type { LabCloud, Patch } from './lab-cloud.ts';
import { urlFrom } from './lab-cloud.ts';
import type { Listener, ListenerOptions } from './listener.ts';
import { createListener } from './listener.ts';
import type { LogEntry, RequestLog } from './request-log.ts';
import { createRequestLog } from './request-log.ts';
import { misbehave, send } from './wire.ts';

/** Serves a cloud from this process. A service may have several listeners, or none. */
export async function runCloud<State extends object>(
  definition: CloudDefinition<State>,
  options: readonly ListenerOptions[],
): Promise<LabCloud<State>> {
  const world: World<State> = {
    services: definition.services,
    state: definition.initialState(),
    faults: createFaultBook(),
    log: createRequestLog(),
    connections: new WeakMap(),
    connectionCount: 0,
  };
  const listeners = await openAll(options, world);
  async function clearFaults(): Promise<void> {
    world.faults.clear();
    await Promise.all(listeners.map((listener) => listener.open()));
  }
  return {
    url: (service) => urlFrom(urlsOf(listeners), service),
    requests: () => Promise.resolve(world.log.all()),
    addFault: (fault) => addFault(fault, world, listeners),
    clearFaults,
    state: () => Promise.resolve(structuredClone(world.state)),
    update: (patch) => {
      world.state = merge(world.state, patch);
      return Promise.resolve();
    },
    reset: async () => {
      world.state = definition.initialState();
      world.log.clear();
      await clearFaults();
    },
    stop: async () => {
      await Promise.all(listeners.map((listener) => listener.close()));
    },
  };
}

interface World<State> {
  readonly services: Readonly<Record<string, Service<State>>>;
  state: State;
  readonly faults: FaultBook;
  readonly log: RequestLog;
  readonly connections: WeakMap<Socket, number>;
  connectionCount: number;
}

async function openAll<State>(options: readonly ListenerOptions[], world: World<State>): Promise<Listener[]> {
  const opened = await Promise.allSettled(
    options.map((option) => {
      const service = serviceOf(world.services, option.service);
      return createListener(option, (request, response, socket) => {
        handle({ name: option.service, service, world, request, response, socket }).catch(() => socket.destroy());
      });
    }),
  );
  const listeners = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = opened.find((result) => result.status === 'rejected');
  if (!failed) return listeners;
  await Promise.all(listeners.map((listener) => listener.close()));
  throw failed.reason as Error;
}

interface Arrival<State> {
  readonly name: string;
  readonly service: Service<State>;
  readonly world: World<State>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
}

async function handle<State>(arrival: Arrival<State>): Promise<void> {
  const { world, response, name } = arrival;
  const request = await readRequest(arrival.request, name);
  const entry = world.log.add(request, connectionNumber(world, arrival.socket));
  const effects = world.faults.meet(name, request.path);
  if (await leftWithin(effects.delayMs, response)) return;
  response.sendDate = false;
  response.setHeader('date', new Date(Date.now() + effects.aheadMs).toUTCString());
  await answer(request, arrival, effects, entry);
}

async function answer<State>(
  request: LabRequest,
  { service, world, response, socket }: Arrival<State>,
  { wire, aheadMs, expiry }: Effects,
  entry: LogEntry,
): Promise<void> {
  if (wire) {
    const status = misbehave(wire, { response, socket, throttled: service.throttled });
    if (status !== undefined) entry.answered(status);
    return;
  }
  const answered = await service.answer(request, world.state, { nowMs: Date.now() + aheadMs, expiry });
  entry.answered(answered.status);
  send(response, answered);
}

async function readRequest(request: IncomingMessage, service: string): Promise<LabRequest> {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')] as const);
  return {
    service,
    host: request.headers.host ?? '',
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(headers),
    body: await text(request),
  };
}

/** True when the client has gone before the time was over. */
async function leftWithin(delayMs: number, response: ServerResponse): Promise<boolean> {
  if (delayMs === 0) return false;
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return wait(delayMs, false, { signal: gone.signal }).catch(() => true);
}

function connectionNumber(world: World<unknown>, socket: Socket): number {
  const known = world.connections.get(socket);
  if (known !== undefined) return known;
  world.connectionCount += 1;
  world.connections.set(socket, world.connectionCount);
  return world.connectionCount;
}

async function addFault<State>(fault: Fault, world: World<State>, listeners: readonly Listener[]): Promise<void> {
  serviceOf(world.services, fault.service);
  world.faults.add(fault);
  if (fault.kind !== 'refuse') return;
  const refusing = listeners.filter((listener) => listener.service === fault.service);
  await Promise.all(refusing.map((listener) => listener.close()));
}

function serviceOf<State>(services: Readonly<Record<string, Service<State>>>, name: string): Service<State> {
  const service = services[name];
  if (!service) throw new Error(`No such service: ${name}. There are ${Object.keys(services).join(', ')}`);
  return service;
}

function urlsOf(listeners: readonly Listener[]): Record<string, string> {
  return Object.fromEntries(listeners.toReversed().map(({ service, url }) => [service, url]));
}

function merge<State extends object>(state: State, patch: Patch<State>): State {
  const merged = new Map<string, unknown>(Object.entries(state));
  for (const [name, change] of Object.entries(patch)) merged.set(name, mergeValue(merged.get(name), change));
  return Object.fromEntries(merged) as State;
}

function mergeValue(before: unknown, change: unknown): unknown {
  return isPlain(before) && isPlain(change) ? { ...before, ...change } : change;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
