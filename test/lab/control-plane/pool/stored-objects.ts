import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { etcdSocket } from '../parts.ts';

/** All that a cluster has stored, by key; the values are in base64, as the JSON of etcd has them. */
export type StoredObjects = ReadonlyMap<string, string>;

const prefix = '/registry/';
/** The first key behind all of those. */
const end = '/registry0';
const timeoutMs = 10_000;
/** etcd takes 128 in one transaction. */
const changesAtOnce = 100;

export async function readObjects(directory: string): Promise<StoredObjects> {
  const { kvs = [] } = (await ask(directory, 'range', { key: encode(prefix), range_end: encode(end) })) as Range;
  return new Map(kvs.map(({ key, value = '' }) => [Buffer.from(key, 'base64').toString(), value]));
}

interface Range {
  readonly kvs?: readonly { readonly key: string; readonly value?: string }[];
}

/** A value that is `undefined` is removed. Watches see it like any other change. */
export async function writeObjects(
  directory: string,
  changes: readonly (readonly [key: string, value: string | undefined])[],
): Promise<void> {
  for (let first = 0; first < changes.length; first += changesAtOnce) {
    const success = changes.slice(first, first + changesAtOnce).map(([name, value]) => {
      const key = encode(name);
      return value === undefined ? { requestDeleteRange: { key } } : { requestPut: { key, value } };
    });
    await ask(directory, 'txn', { success });
  }
}

function encode(key: string): string {
  return Buffer.from(key).toString('base64');
}

async function ask(directory: string, method: string, body: object): Promise<unknown> {
  const path = `/v3/kv/${method}`;
  const signal = AbortSignal.timeout(timeoutMs);
  const asked = request({ socketPath: etcdSocket(directory), path, method: 'POST', agent: false, signal });
  asked.end(JSON.stringify(body));
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const answer = await text(response);
  if (response.statusCode !== 200) throw new Error(`etcd answers ${String(response.statusCode)} to ${path}: ${answer}`);
  return JSON.parse(answer);
}
