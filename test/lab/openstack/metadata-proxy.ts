import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Namespace } from '../network/namespace.ts';
import { socketOf } from './services.ts';
import { metadataSecret } from './settings.ts';

export interface MetadataProxyOptions {
  readonly serverId: string;
  readonly projectId: string;
  /** Of the server. */
  readonly address: string;
}

const own = fileURLToPath(import.meta.url);

/** The part of Neutron's metadata agent: on a machine, it states and signs to Nova which server asks. */
export async function startMetadataProxy(
  namespace: Namespace,
  directory: string,
  options: MetadataProxyOptions,
): Promise<void> {
  const served = { ...options, socketPath: socketOf(directory, 'metadata') };
  const child = namespace.start(process.execPath, [own, JSON.stringify(served)], {});
  const errors = text(child.stderr);
  const ended = once(child, 'exit').then(async () => {
    throw new Error(`the metadata proxy did not start: ${await errors}`);
  });
  await Promise.race([once(child.stdout, 'data'), ended]);
  ended.catch(() => undefined);
}

/** https://docs.openstack.org/nova/latest/admin/metadata-service.html */
function serve({ serverId, projectId, address, socketPath }: MetadataProxyOptions & { socketPath: string }): void {
  const headers = {
    'x-instance-id': serverId,
    'x-tenant-id': projectId,
    'x-forwarded-for': address,
    'x-instance-id-signature': createHmac('sha256', metadataSecret).update(serverId).digest('hex'),
  };
  const server = createServer(({ method, url: path }, response) => {
    const sent = httpRequest({ socketPath, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    sent.end();
  });
  server.listen(80, '169.254.169.254', () => process.stdout.write('ready\n'));
}

const [, started, options] = process.argv;
if (started === own && options !== undefined) serve(JSON.parse(options) as Parameters<typeof serve>[0]);
