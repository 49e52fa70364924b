import { EventEmitter, once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CloudDefinition, LabRequest, LabService } from './cloud.ts';
import type { Effects, Fault, FaultRegistry } from './faults.ts';
import { createFaultRegistry } from './faults.ts';
import type { LabCloud, Patch } from './lab-cloud.ts';
import { urlFrom } from './lab-cloud.ts';
import type { Listener, ListenerOptions } from './listener.ts';
import { createListener } from './listener.ts';
import type { LogEntry, RequestLog } from './request-log.ts';
import { createRequestLog } from './request-log.ts';
import { applyWireFault, send } from './wire-faults.ts';

/** Serves a cloud from this process. A service may have several listeners, or none. */
export async function runCloud<State extends object>(
  definition: CloudDefinition<State>,
  options: readonly ListenerOptions[],
): Promise<LabCloud<State>> {
  const cloud: CloudState<State> = {
    services: definition.services,
    state: definition.initialState(),
    changes: new EventEmitter().setMaxListeners(0),
    faults: createFaultRegistry(),
    requestLog: createRequestLog(),
    connections: new WeakMap(),
    connectionCount: 0,
  };
  const listeners = await openAll(options, cloud);
  async function clearFaults(): Promise<void> {
    cloud.faults.clear();
    await Promise.all(listeners.map((listener) => listener.open()));
  }
  return {
    url: (service) => urlFrom(urlsOf(listeners), service),
    requests: () => Promise.resolve(cloud.requestLog.all()),
    addFault: (fault) => addFault(fault, cloud, listeners),
    clearFaults,
    state: () => Promise.resolve(structuredClone(cloud.state)),
    update: (patch) => {
      cloud.state = merge(cloud.state, patch);
      cloud.changes.emit('change');
      return Promise.resolve();
    },
    reset: async () => {
      cloud.state = definition.initialState();
      cloud.changes.emit('change');
      cloud.requestLog.clear();
      await clearFaults();
    },
    stop: async () => {
      await Promise.all(listeners.map((listener) => listener.close()));
    },
  };
}

interface CloudState<State> {
  readonly services: Readonly<Record<string, LabService<State>>>;
  state: State;
  /** `change`: the state was changed from outside. */
  readonly changes: EventEmitter;
  readonly faults: FaultRegistry;
  readonly requestLog: RequestLog;
  readonly connections: WeakMap<Socket, number>;
  connectionCount: number;
}

async function openAll<State>(options: readonly ListenerOptions[], cloud: CloudState<State>): Promise<Listener[]> {
  const opened = await Promise.allSettled(
    options.map((option) => {
      const service = serviceOf(cloud.services, option.service);
      return createListener(option, (request, response, socket) => {
        handle({ name: option.service, service, cloud, request, response, socket }).catch(() => socket.destroy());
      });
    }),
  );
  const listeners = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = opened.find((result) => result.status === 'rejected');
  if (!failed) return listeners;
  await Promise.all(listeners.map((listener) => listener.close()));
  throw failed.reason as Error;
}

interface IncomingCall<State> {
  readonly name: string;
  readonly service: LabService<State>;
  readonly cloud: CloudState<State>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
}

async function handle<State>(call: IncomingCall<State>): Promise<void> {
  const { cloud, response, name } = call;
  const request = await readRequest(call.request, name);
  const entry = cloud.requestLog.add(request, connectionNumber(cloud, call.socket));
  const effects = cloud.faults.effectsOn(name, request.path);
  if (await disconnectedWithin(effects.delayMs, response)) return;
  response.sendDate = false;
  response.setHeader('date', new Date(Date.now() + effects.aheadMs).toUTCString());
  await respond(request, call, effects, entry);
}

async function respond<State>(
  request: LabRequest,
  { service, cloud, response, socket }: IncomingCall<State>,
  { wire, aheadMs, expiry }: Effects,
  entry: LogEntry,
): Promise<void> {
  if (wire) {
    const status = applyWireFault(wire, { response, socket, throttled: service.throttled });
    if (status !== undefined) entry.setStatus(status);
    return;
  }
  await hold(request, { service, cloud, response });
  const labResponse = await service.respond(request, cloud.state, { nowMs: Date.now() + aheadMs, expiry });
  entry.setStatus(labResponse.status);
  send(response, labResponse);
}

/** Until the state is another one, the time is over, or the client has gone. */
async function hold<State>(
  request: LabRequest,
  { service, cloud, response }: Pick<IncomingCall<State>, 'service' | 'cloud' | 'response'>,
): Promise<void> {
  const startedAtMs = performance.now();
  const left = (): number => (service.holdMs?.(request, cloud.state) ?? 0) + startedAtMs - performance.now();
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  for (let leftMs = left(); leftMs > 0 && !gone.signal.aborted; leftMs = left()) {
    const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(Math.ceil(leftMs))]);
    await once(cloud.changes, 'change', { signal }).catch(() => undefined);
  }
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
async function disconnectedWithin(delayMs: number, response: ServerResponse): Promise<boolean> {
  if (delayMs === 0) return false;
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  return wait(delayMs, false, { signal: disconnected.signal }).catch(() => true);
}

function connectionNumber(cloud: CloudState<unknown>, socket: Socket): number {
  const known = cloud.connections.get(socket);
  if (known !== undefined) return known;
  cloud.connectionCount += 1;
  cloud.connections.set(socket, cloud.connectionCount);
  return cloud.connectionCount;
}

async function addFault<State>(fault: Fault, cloud: CloudState<State>, listeners: readonly Listener[]): Promise<void> {
  serviceOf(cloud.services, fault.service);
  cloud.faults.add(fault);
  if (fault.kind !== 'refuse') return;
  const refusing = listeners.filter((listener) => listener.service === fault.service);
  await Promise.all(refusing.map((listener) => listener.close()));
}

function serviceOf<State>(services: Readonly<Record<string, LabService<State>>>, name: string): LabService<State> {
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
