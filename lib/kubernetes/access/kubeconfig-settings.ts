import { dirname, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { parseHttpAddress } from '../../http/address.ts';
import { Secret } from '../../secret.ts';
import type { KubeconfigCluster, KubeconfigExec, KubeconfigUser } from './kubeconfig-schema.ts';

/** One cluster and one user, validated. Files have absolute paths. */
export interface KubeconfigSettings {
  readonly server: URL;
  readonly serverName?: string;
  readonly authorities?: KubeconfigValue;
  readonly token?: KubeconfigValue;
  readonly certificate?: KubeconfigValue;
  readonly key?: KubeconfigValue;
  readonly exec?: ExecSettings;
}

export type KubeconfigValue = { readonly text: Secret } | { readonly file: string };

export interface ExecSettings {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly providesClusterInfo: boolean;
}

/** `path` is the kubeconfig's own: other paths in it are relative to its directory. */
export function readSettings(cluster: KubeconfigCluster, user: KubeconfigUser, path: string): KubeconfigSettings {
  const unsupported = unsupportedSettings.find((row) => row.applies(cluster, user));
  if (unsupported !== undefined) throw unusable(path, unsupported.problem, unsupported.remedy);
  const base = dirname(path);
  const pem = (key: PemKey, data: string | undefined, file: string | undefined): KubeconfigValue | undefined => {
    if (data) return { text: new Secret(decodePem(data, `${key}-data`, path)) };
    return file ? { file: resolve(base, file) } : undefined;
  };
  const authorities = pem(
    'certificate-authority',
    cluster['certificate-authority-data'],
    cluster['certificate-authority'],
  );
  const certificate = pem('client-certificate', user['client-certificate-data'], user['client-certificate']);
  const key = pem('client-key', user['client-key-data'], user['client-key']);
  if ((certificate === undefined) !== (key === undefined)) {
    throw unusable(path, 'has a client certificate or a client key without the other', 'give both');
  }
  const token = tokenOf(user, base);
  return {
    server: serverOf(cluster, path),
    ...(cluster['tls-server-name'] && { serverName: cluster['tls-server-name'] }),
    ...(authorities && { authorities }),
    ...(token && { token }),
    ...(certificate && { certificate }),
    ...(key && { key }),
    ...(user.exec && { exec: execOf(user.exec, base) }),
  };
}

interface UnsupportedSetting {
  applies(cluster: KubeconfigCluster, user: KubeconfigUser): boolean;
  readonly problem: string;
  readonly remedy: string;
}

/** If we ignored one of these silently, the connection or the user would not be those of the file. */
const unsupportedSettings: readonly UnsupportedSetting[] = [
  {
    applies: (cluster) => cluster['insecure-skip-tls-verify'] === true,
    problem: 'has insecure-skip-tls-verify, which would send the token to any server',
    remedy: 'name the certificate-authority instead, and tls-server-name if the address is not in the certificate',
  },
  {
    applies: (cluster) => Boolean(cluster['proxy-url']),
    problem: 'has proxy-url, which is not supported',
    remedy: 'name an address that can be reached without a proxy',
  },
  {
    applies: (_, user) => Boolean(user.username),
    problem: 'has a user name and password, which no API server takes any more',
    remedy: 'use a client certificate, a token or exec',
  },
  {
    applies: (_, user) => user['auth-provider'] !== undefined && user['auth-provider'] !== null,
    problem: 'has an auth-provider, which Kubernetes has replaced by exec',
    remedy: "use the provider's exec plugin",
  },
  {
    applies: (_, user) => Boolean(user.as),
    problem: 'impersonates another user, which is not supported',
    remedy: 'give this program credentials of its own',
  },
  {
    applies: (_, user) => user.exec?.interactiveMode === 'Always',
    problem: 'has an exec plugin that wants a terminal',
    remedy: 'use credentials that need no person at a keyboard',
  },
];

type PemKey = 'certificate-authority' | 'client-certificate' | 'client-key';

function decodePem(data: string, key: string, path: string): string {
  const text = Buffer.from(data, 'base64').toString('utf8');
  if (text.includes('-----BEGIN ')) return text;
  throw unusable(path, `has a ${key} that is no PEM in base64`, 'write the file again');
}

/** A token file wins over a token, as in every other client. */
function tokenOf({ token, tokenFile }: KubeconfigUser, base: string): KubeconfigValue | undefined {
  if (tokenFile) return { file: resolve(base, tokenFile) };
  return token ? { text: new Secret(token.trim()) } : undefined;
}

/** Without TLS a token could be read on the network, except on the way to a proxy on this machine. */
function serverOf({ server }: KubeconfigCluster, path: string): URL {
  const url = parseHttpAddress(server);
  if (url === undefined) throw unusable(path, 'has a server that is no https address', 'write https://host:port');
  if (url.protocol === 'https:' || /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)) return url;
  throw unusable(path, 'has a server without TLS that is not on this machine', 'write https://host:port');
}

/** A command with a slash is a path. Any other is searched in PATH. */
function execOf(exec: KubeconfigExec, base: string): ExecSettings {
  return {
    apiVersion: exec.apiVersion,
    command: exec.command.includes('/') ? resolve(base, exec.command) : exec.command,
    args: exec.args ?? [],
    env: exec.env ?? [],
    providesClusterInfo: exec.provideClusterInfo === true,
  };
}

function unusable(path: string, problem: string, remedy: string): Failure {
  return new Failure('misconfigured', `kubeconfig ${path} ${problem}`, { remedy });
}
