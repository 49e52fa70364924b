import { isIP } from 'node:net';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod/mini';
import { readYaml } from '../../lib/config/read-yaml.ts';

/** Cloud-init's data source for VMware: https://cloudinit.readthedocs.io/en/latest/reference/datasources/vmware.html */
const Metadata = z.object({
  network: z.optional(z.unknown()),
  'network.encoding': z.optional(z.string()),
});
const Network = z.object({
  ethernets: z.optional(z.record(z.string(), z.object({ addresses: z.optional(z.array(z.string())) }))),
});

const maxBytes = 1_000_000;

/**
 * The addresses that cloud-init sets by hand, in their order. They come before others, for instance virtual IPs that
 * move between machines. Metadata that cannot be read has none.
 */
export function staticAddresses(settings: ReadonlyMap<string, string>): readonly string[] {
  const [metadata, encoding] = [settings.get('guestinfo.metadata'), settings.get('guestinfo.metadata.encoding')];
  if (metadata === undefined || encoding !== 'base64') return [];
  const parsed = Metadata.safeParse(yamlOf(fromBase64(metadata)));
  if (!parsed.success) return [];
  const { network, 'network.encoding': networkEncoding } = parsed.data;
  const found = Network.safeParse(decodeNetwork(network, networkEncoding));
  const ethernets = found.success ? Object.values(found.data.ethernets ?? {}) : [];
  return ethernets
    .flatMap(({ addresses = [] }) => addresses.map((each) => each.replace(/\/.*$/, '')))
    .filter(isAddress);
}

function isAddress(text: string): boolean {
  return isIP(text) !== 0;
}

function decodeNetwork(network: unknown, encoding: string | undefined): unknown {
  if (encoding === undefined || typeof network !== 'string') return network;
  if (/^(?:base64|b64)$/.test(encoding)) return yamlOf(fromBase64(network));
  return /^(?:gzip\+base64|gz\+b64)$/.test(encoding) ? yamlOf(gunzipped(fromBase64(network))) : undefined;
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64');
}

function gunzipped(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch {
    return Buffer.alloc(0);
  }
}

function yamlOf(bytes: Buffer): unknown {
  const yaml = readYaml(bytes.toString('utf8'), {});
  return yaml.kind === 'read' ? yaml.value : undefined;
}
