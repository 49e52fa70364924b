import type { BlockList } from 'node:net';

/** The proxy variables as every Go program on the node reads them: upper case first, NO_PROXY with names and CIDRs. */
export interface ProxyVariables {
  readonly http?: string;
  readonly https?: string;
  readonly no: string;
}

export function readProxyVariables(env: Readonly<Record<string, string | undefined>>): ProxyVariables {
  const http = oneOf(env, 'HTTP_PROXY', 'http_proxy');
  const https = oneOf(env, 'HTTPS_PROXY', 'https_proxy');
  return {
    ...(http !== undefined && { http }),
    ...(https !== undefined && { https }),
    no: oneOf(env, 'NO_PROXY', 'no_proxy') ?? '',
  };
}

function oneOf(env: Readonly<Record<string, string | undefined>>, ...names: readonly string[]): string | undefined {
  return names.map((name) => env[name]).find((value) => value !== undefined && value !== '');
}

/** The proxy to use for this address, with a scheme; `undefined`: none. */
export function proxyFor(url: URL, variables: ProxyVariables): string | undefined {
  const proxy = url.protocol === 'https:' ? variables.https : variables.http;
  if (proxy === undefined || isLoopback(url.hostname)) return undefined;
  if (variables.no.split(',').some((rule) => exempts(rule.trim().toLowerCase(), url))) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function exempts(rule: string, url: URL): boolean {
  if (rule === '') return false;
  if (rule === '*') return true;
  if (rule.includes('/')) return cidrContains(rule, bare(url.hostname));
  const { name, port } = splitPort(rule);
  if (port !== undefined && port !== portOf(url)) return false;
  const host = bare(url.hostname);
  if (host.includes(':')) return host === canonicalAddress(name);
  const domain = name.replace(/^\*?\./, '');
  return name === domain ? host === name || host.endsWith(`.${name}`) : host.endsWith(`.${domain}`);
}

function splitPort(rule: string): { readonly name: string; readonly port?: string } {
  const match = /^(?:\[(?<v6>[^\]]+)\]|(?<name>[^:]+)):(?<port>\d+)$/.exec(rule);
  if (match?.groups === undefined) return { name: bare(rule) };
  return { name: match.groups['v6'] ?? match.groups['name'] ?? '', port: match.groups['port'] ?? '' };
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** An IPv6 address has many spellings; a URL keeps one. */
function canonicalAddress(name: string): string {
  return URL.canParse(`http://[${name}]`) ? bare(new URL(`http://[${name}]`).hostname) : name;
}

function cidrContains(cidr: string, host: string): boolean {
  const net = process.getBuiltinModule('node:net');
  const [address = '', prefix = ''] = cidr.split('/');
  const family = net.isIP(address);
  if (family === 0 || net.isIP(host) !== family || !/^\d{1,3}$/.test(prefix)) return false;
  const list: BlockList = new net.BlockList();
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  try {
    list.addSubnet(address, Number(prefix), kind);
  } catch {
    return false;
  }
  return list.check(host, kind);
}
