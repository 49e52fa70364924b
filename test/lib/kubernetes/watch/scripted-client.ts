import type { KubernetesClient } from '../../../../lib/kubernetes/client.ts';
import type { ListPage } from '../../../../lib/kubernetes/parse-response.ts';
import type { WatchOptions } from '../../../../lib/kubernetes/requests.ts';
import type { WatchEvent } from '../../../../lib/kubernetes/watch/watch-event.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';

/** One connection, as the test wants it. */
export interface ScriptedConnection {
  send(...events: readonly WatchEvent<Node>[]): void;
  end(): void;
  fail(error: Error): void;
}

export interface ScriptedClient extends Pick<KubernetesClient, 'pages' | 'watch'> {
  /** What the next lists answer: pages, or an error in place of one. */
  readonly lists: (readonly (ListPage<Node> | Error)[])[];
  /** What the next watches fail with before they begin; empty: they begin. */
  readonly watchErrors: Error[];
  readonly watchedFrom: WatchOptions[];
  /** Connections in their order. */
  readonly connections: ScriptedConnection[];
  listed(): number;
}

export function createScriptedClient(): ScriptedClient {
  const lists: ScriptedClient['lists'] = [];
  const watchErrors: Error[] = [];
  const watchedFrom: WatchOptions[] = [];
  const connections: ScriptedConnection[] = [];
  let listed = 0;
  async function* pages(): AsyncGenerator<ListPage<Node>> {
    const script = lists[listed] ?? [];
    listed += 1;
    for (const page of script) {
      if (page instanceof Error) throw page;
      yield page;
    }
  }
  const watch = async (from: WatchOptions, signal: AbortSignal): Promise<AsyncIterable<WatchEvent<Node>>> => {
    watchedFrom.push(from);
    const watchError = watchErrors.shift();
    if (watchError !== undefined) throw watchError;
    const { connection, events } = openConnection(signal);
    connections.push(connection);
    return events;
  };
  return {
    lists,
    watchErrors,
    watchedFrom,
    connections,
    listed: () => listed,
    pages: (() => pages()) as unknown as KubernetesClient['pages'],
    watch: ((_: unknown, from: WatchOptions, signal: AbortSignal) => watch(from, signal)) as KubernetesClient['watch'],
  };
}

function openConnection(signal: AbortSignal): {
  connection: ScriptedConnection;
  events: AsyncIterable<WatchEvent<Node>>;
} {
  const { readable, writable } = new TransformStream<WatchEvent<Node>, WatchEvent<Node>>(
    {},
    { highWaterMark: 100 },
    { highWaterMark: 100 },
  );
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  const ignore = (promise: Promise<void>): void => {
    promise.catch(() => {});
  };
  signal.addEventListener('abort', () => ignore(writer.abort(signal.reason)), { once: true });
  const connection: ScriptedConnection = {
    send: (...events) => {
      for (const event of events) ignore(writer.write(event));
    },
    end: () => ignore(writer.close()),
    fail: (error) => ignore(writer.abort(error)),
  };
  return { connection, events: readable };
}
