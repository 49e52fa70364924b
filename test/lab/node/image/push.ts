import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Blob, Image } from './oci-image.ts';

export interface Destination {
  /** Of a registry that allows everything to clients of this port. */
  readonly socketPath: string;
  /** As the registry itself names it. */
  readonly repository: string;
  readonly tag: string;
}

/** Puts an image into a registry. */
export async function push(image: Image, to: Destination): Promise<void> {
  for (const blob of [image.layer, image.config]) await pushBlob(blob, to);
  const { mediaType, content } = image.manifest;
  const path = `/v2/${to.repository}/manifests/${to.tag}`;
  await send(to.socketPath, 201, { method: 'PUT', path, content, mediaType });
}

async function pushBlob({ digest, content }: Blob, { socketPath, repository }: Destination): Promise<void> {
  const start = { method: 'POST', path: `/v2/${repository}/blobs/uploads/`, content: Buffer.alloc(0) };
  const { headers } = await send(socketPath, 202, { ...start, mediaType: 'application/octet-stream' });
  const upload = new URL(headers.location ?? '', 'http://registry');
  upload.searchParams.set('digest', digest);
  const path = upload.pathname + upload.search;
  await send(socketPath, 201, { method: 'PUT', path, content, mediaType: 'application/octet-stream' });
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly content: Buffer;
  readonly mediaType: string;
}

async function send(socketPath: string, status: number, sent: Sent): Promise<IncomingMessage> {
  const { method, path, content, mediaType } = sent;
  const headers = { 'content-type': mediaType, 'content-length': content.length };
  const asked = request({ socketPath, method, path, headers, agent: false });
  asked.end(content);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const responseBody = await text(response);
  if (response.statusCode !== status) {
    throw new Error(`${method} ${path}: ${String(response.statusCode)} ${responseBody}`);
  }
  return response;
}
