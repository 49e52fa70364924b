import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { LabResponse } from './cloud.ts';
import type { WireFault } from './faults.ts';

/** One request's way back. */
export interface WireExchange {
  readonly response: ServerResponse;
  /** The TCP socket, below TLS where there is TLS. */
  readonly socket: Socket;
  readonly throttled: LabResponse;
}

/** The status that was sent, if any. */
export function applyWireFault(fault: WireFault, exchange: WireExchange): number | undefined {
  const handler = faultHandlers[fault.kind] as (fault: WireFault, exchange: WireExchange) => number | undefined;
  return handler(fault, exchange);
}

export function send(response: ServerResponse, labResponse: LabResponse): number {
  response.writeHead(labResponse.status, {
    ...labResponse.headers,
    'content-length': Buffer.byteLength(labResponse.body),
  });
  response.end(labResponse.body);
  return labResponse.status;
}

type FaultHandlers = {
  readonly [K in WireFault['kind']]: (fault: WireFault & { kind: K }, exchange: WireExchange) => number | undefined;
};

const faultHandlers: FaultHandlers = {
  status: ({ status, headers, body }, { response }) =>
    send(response, { status, headers: headers ?? {}, body: body ?? '' }),
  throttle: sendThrottle,
  redirect: ({ status, location }, { response }) => send(response, { status, headers: { location }, body: '' }),
  garbage: (_fault, { response }) => send(response, { ...ok, body: '\u0001]}<%$ no format at all' }),
  empty: (_fault, { response }) => send(response, { ...ok, body: '' }),
  huge: ({ sizeMb }, { response }) => sendMuch(response, sizeMb * 1024 * 1024),
  trickle: ({ everyMs }, { response }) => sendSlowly(response, everyMs),
  'cut-off': (_fault, exchange) => sendHalf(exchange),
  reset: (_fault, { socket }) => {
    socket.resetAndDestroy();
    return undefined;
  },
  hang: () => undefined,
};

const ok = { status: 200, headers: { 'content-type': 'application/octet-stream' } };

function sendThrottle(fault: WireFault & { kind: 'throttle' }, { response, throttled }: WireExchange): number {
  const wait = fault.retryAfterS === undefined ? {} : { 'retry-after': String(fault.retryAfterS) };
  const status = fault.status ?? throttled.status;
  return send(response, { status, headers: { ...throttled.headers, ...wait }, body: throttled.body });
}

const chunkBytes = 64 * 1024;

/** Without a length in the head: the receiver has to count. */
function sendMuch(response: ServerResponse, sizeBytes: number): number {
  response.writeHead(ok.status, ok.headers);
  const chunk = Buffer.alloc(chunkBytes, 0x20);
  let sentBytes = 0;
  function more(): void {
    while (sentBytes < sizeBytes && !response.destroyed) {
      sentBytes += chunkBytes;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  }
  more();
  return ok.status;
}

function sendSlowly(response: ServerResponse, everyMs: number): number {
  response.writeHead(ok.status, ok.headers);
  const timer = setInterval(() => response.write(' '), everyMs);
  response.once('close', () => clearInterval(timer));
  return ok.status;
}

function sendHalf({ response, socket }: WireExchange): number {
  const half = '{"half":"of what was promis';
  response.writeHead(ok.status, { ...ok.headers, 'content-length': half.length * 2 });
  response.write(half, () => socket.destroy());
  return ok.status;
}
