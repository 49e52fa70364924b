import { KubernetesError } from '../kubernetes-error.ts';
import { invalidResponse } from '../parse-response.ts';
import { remedies } from '../remedies.ts';
import { createLineSplitter } from './line-splitter.ts';
import { parseWatchEvent } from './watch-event.ts';
import type { WatchEvent } from './watch-event.ts';

/** etcd accepts objects of 1.5 MB. As JSON they are larger. */
const largestLineBytes = 16 * 1024 * 1024;

/** An incomplete last line is dropped: a watch from the last event gets it again. */
export async function* readWatchEvents<T>(
  what: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>> {
  const split = createLineSplitter(largestLineBytes, () => invalidResponse(what, 'has a line of more than 16 MB'));
  try {
    for await (const chunk of chunks) for (const line of split(chunk)) yield parseWatchEvent(what, line);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof KubernetesError) throw error;
    const { unavailable: remedy } = remedies;
    throw new KubernetesError('unavailable', `${what}: the connection broke off`, { remedy, cause: error });
  }
}
