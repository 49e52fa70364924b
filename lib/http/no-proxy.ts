import type { BlockList } from 'node:net';
import { familyOf } from './resolve.ts';

/**
 * True if NO_PROXY exempts this URL, by the rules of Go's golang.org/x/net/http/httpproxy, which every Go program on the
 * node follows; test/fixtures/no-proxy/ contains the decisions of that package.
 */
export function isExempt(url: URL, noProxy: string): boolean {
  const target = targetOf(url);
  return target.host === 'localhost' || isLoopback(target) || noProxy.split(',').some((rule) => matches(rule, target));
}

interface Target {
  readonly host: string;
  readonly port: string;
  /** The host, if it is an IP address. */
  readonly ip: string | undefined;
}

function targetOf({ hostname, port, protocol }: URL): Target {
  const host = hostname.replace(/^\[|\]$/g, '');
  return { host, port: port || (protocol === 'https:' ? '443' : '80'), ip: canonicalIp(host) };
}

function isLoopback({ ip }: Target): boolean {
  return ip !== undefined && (ip === '::1' || (familyOf(ip) === 4 && ip.startsWith('127.')));
}

function matches(rule: string, target: Target): boolean {
  const text = rule.trim().toLowerCase();
  if (text === '*') return true;
  const range = readRange(text);
  if (range !== undefined) return target.ip !== undefined && contains(range, target.ip);
  const { host, port } = splitPort(text);
  if (host === '' || (port !== '' && port !== target.port)) return false;
  const ip = canonicalIp(host);
  if (ip !== undefined) return ip === target.ip;
  return target.ip === undefined && matchesName(host, target.host);
}

/** A name exempts its subdomains too; a name after `.` or `*.` exempts only the subdomains. */
function matchesName(rule: string, host: string): boolean {
  const name = asciiName(rule.startsWith('*.') ? rule.slice(1) : rule);
  return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`);
}

function asciiName(name: string): string {
  return /^[ -~]*$/.test(name) ? name : (URL.parse(`http://${name}`)?.hostname ?? name);
}

/** No port or an empty one means any port. Brackets are valid only with a port. */
function splitPort(rule: string): { readonly host: string; readonly port: string } {
  const [, inBrackets, plain, port] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):([^:[\]]*)$/.exec(rule) ?? [];
  return port === undefined ? { host: rule, port: '' } : { host: inBrackets ?? plain ?? '', port };
}

/** In the normal form of a URL. An IPv4 address mapped into IPv6 counts as that IPv4 address. */
function canonicalIp(text: string): string | undefined {
  const family = text.includes('%') ? 0 : process.getBuiltinModule('node:net').isIP(text);
  if (family !== 6) return family === 4 ? text : undefined;
  const ip = URL.parse(`http://[${text}]`)?.hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(ip ?? '') ?? [];
  if (high === undefined || low === undefined) return ip;
  const bytes = [high, low].map((part) => Number.parseInt(part, 16)).flatMap((pair) => [pair >> 8, pair & 255]);
  return bytes.join('.');
}

interface Range {
  readonly network: string;
  readonly prefix: number;
}

const bitsBeforeIpv4 = 96;

function readRange(rule: string): Range | undefined {
  const [, address = '', digits = ''] = /^([^/]+)\/(\d+)$/.exec(rule) ?? [];
  const ip = canonicalIp(address);
  if (ip === undefined) return undefined;
  const prefix = Number(digits);
  const isMapped = address.includes(':') && familyOf(ip) === 4;
  // A wider prefix is an IPv6 network that contains no IPv4 address.
  if (isMapped && prefix < bitsBeforeIpv4) return { network: address, prefix };
  return { network: ip, prefix: isMapped ? prefix - bitsBeforeIpv4 : prefix };
}

function contains({ network, prefix }: Range, ip: string): boolean {
  const family = familyOf(network);
  if (family !== familyOf(ip) || prefix > (family === 4 ? 32 : 128)) return false;
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  const list: BlockList = new (process.getBuiltinModule('node:net').BlockList)();
  list.addSubnet(network, prefix, kind);
  return list.check(ip, kind);
}
