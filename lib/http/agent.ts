import { Agent as NodeAgent, request } from 'node:http';
import type { ClientRequest, RequestOptions } from 'node:http';
import { openSocket } from './open-socket.ts';
import type { PendingConnection, HttpTarget } from './open-socket.ts';
import type { Resolve } from './resolve.ts';

export interface AgentSettings {
  /** How long a connection is kept after a response. */
  readonly longestIdleMs: number;
  readonly maxIdleConnections: number;
  readonly resolve: Resolve;
  /** A connection that was opened in advance, if there is one. */
  takePreconnection?(): PendingConnection | undefined;
}

export interface StartedRequest {
  readonly request: ClientRequest;
  /** Absent: the request uses a kept connection. */
  readonly pendingConnection: PendingConnection | undefined;
}

/** Detects a peer that disappeared without closing: after this much silence TCP sends probes for 10 s. */
const probeAfterMs = 15_000;
/** Node's default. It is set here because a command-line option can change it. */
const longestHeadBytes = 16_384;

/**
 * Node's agent for one target. It keeps connections and uses each for one request at a time. It opens connections as
 * `open-socket.ts` does: a separate limit for DNS, several addresses in parallel, proxies, our trust settings.
 */
export class Agent extends NodeAgent {
  readonly target: HttpTarget;
  /** True after `destroy`: no request is sent again then. */
  isClosed = false;
  readonly #settings: AgentSettings;
  readonly #underWay = new Set<PendingConnection>();

  constructor(target: HttpTarget, settings: AgentSettings) {
    const { longestIdleMs: timeout, maxIdleConnections: maxFreeSockets } = settings;
    super({ keepAlive: true, keepAliveMsecs: probeAfterMs, timeout, maxFreeSockets });
    this.target = target;
    this.#settings = settings;
  }

  /** Throws Node's error if the method, the path or a header is invalid. */
  start(options: Pick<RequestOptions, 'method' | 'path' | 'headers'>): StartedRequest {
    let pendingConnection: PendingConnection | undefined;
    const all: AgentRequestOptions = {
      ...options,
      agent: this,
      // Every header is in `options`.
      setDefaultHeaders: false,
      maxHeaderSize: longestHeadBytes,
      insecureHTTPParser: false,
      // TLS takes the name from the target. Without this, Node checks whether the name is an IP address, which takes 6 ms.
      servername: '',
      onConnecting: (pending) => void (pendingConnection = pending),
    };
    const started = request(all);
    // Only the size of the head is limited: by default Node drops all headers beyond 1,000.
    started.maxHeadersCount = 0;
    return { request: started, pendingConnection };
  }

  hasIdle(): boolean {
    return Object.keys(this.freeSockets).length > 0;
  }

  override createConnection({ onConnecting }: AgentRequestOptions, callback: Callback): undefined {
    const { resolve, takePreconnection } = this.#settings;
    const pendingConnection = takePreconnection?.() ?? openSocket(this.target, resolve);
    this.#underWay.add(pendingConnection);
    onConnecting?.(pendingConnection);
    this.#handOver(pendingConnection, callback).catch(() => {});
  }

  async #handOver(pendingConnection: PendingConnection, callback: Callback): Promise<void> {
    try {
      const socket = await pendingConnection.socket;
      callback(null, socket.setKeepAlive(true, probeAfterMs));
    } catch (error) {
      callback(error as Error, undefined as never);
    } finally {
      this.#underWay.delete(pendingConnection);
    }
  }

  isInUse(): boolean {
    return this.#underWay.size > 0 || Object.values(this.sockets).some((sockets) => sockets?.length !== 0);
  }

  closeIdle(): void {
    for (const sockets of Object.values(this.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }

  /** Requests in flight continue; their connections are not kept. */
  retire(): void {
    this.maxFreeSockets = 0;
    this.closeIdle();
  }

  override destroy(): void {
    this.isClosed = true;
    super.destroy();
    for (const pendingConnection of this.#underWay) pendingConnection.abort();
  }
}

type Callback = NonNullable<Parameters<NodeAgent['createConnection']>[1]>;

/** The agent receives all options of a request, as `createConnection` does. */
interface AgentRequestOptions extends RequestOptions {
  readonly servername?: string;
  readonly onConnecting?: (pendingConnection: PendingConnection) => void;
}
