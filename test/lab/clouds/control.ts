import { createServer, request as httpRequest } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Fault } from './faults.ts';
import type { LabCloud, Patch } from './lab-cloud.ts';
import { urlFrom } from './lab-cloud.ts';
import type { RecordedRequest } from './request-log.ts';

/** Lets another process control a cloud over a unix socket, which no network namespace keeps apart. */
export async function serveControl<State extends object>(lab: LabCloud<State>, socketPath: string): Promise<void> {
  const server = createServer((request, response) => {
    operate(lab, request).then(
      (result) => response.end(JSON.stringify(result ?? null)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(socketPath);
  await once(server, 'listening');
}

export interface RemoteOptions {
  readonly socketPath: string;
  readonly urls: Readonly<Record<string, string>>;
  /** Ends the process that serves. */
  readonly stop: () => Promise<void>;
}

/** The other end: a cloud that is served elsewhere, used as if it were served here. */
export function controlRemotely<State extends object>({ socketPath, urls, stop }: RemoteOptions): LabCloud<State> {
  async function call(operation: keyof Operations, input: unknown): Promise<unknown> {
    const sent = httpRequest({ socketPath, path: `/${operation}`, method: 'POST', agent: false });
    sent.end(JSON.stringify(input ?? null));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(await text(response));
    return json(response);
  }
  return {
    url: (service) => urlFrom(urls, service),
    requests: async () => (await call('requests', undefined)) as RecordedRequest[],
    addFault: async (fault) => void (await call('addFault', fault)),
    clearFaults: async () => void (await call('clearFaults', undefined)),
    state: async () => (await call('state', undefined)) as State,
    update: async (patch) => void (await call('update', patch)),
    reset: async () => void (await call('reset', undefined)),
    stop,
  };
}

type Operations = Omit<LabCloud<object>, 'url' | 'stop'>;

async function operate<State extends object>(lab: LabCloud<State>, request: IncomingMessage): Promise<unknown> {
  const operations: Record<string, (input: unknown) => Promise<unknown>> = {
    '/requests': () => lab.requests(),
    '/addFault': (fault) => lab.addFault(fault as Fault),
    '/clearFaults': () => lab.clearFaults(),
    '/state': () => lab.state(),
    '/update': (patch) => lab.update(patch as Patch<State>),
    '/reset': () => lab.reset(),
  };
  const operation = operations[request.url ?? ''];
  if (!operation) throw new Error(`No such operation: ${String(request.url)}`);
  return operation(await json(request));
}
