import type { Clock } from '../../clock.ts';
import { Secret } from '../../secret.ts';
import type { ClientCertificate, ApiServerTarget } from './cluster-access.ts';
import { runExecPlugin } from './exec-credential.ts';
import type { ExecCredential } from './exec-credential.ts';
import { freshFile } from './fresh-file.ts';
import { cacheCredential } from './cache-credential.ts';
import type { CachedCredential } from './cache-credential.ts';
import type { KubeconfigSettings, KubeconfigValue } from './kubeconfig-settings.ts';

export interface KubeconfigEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

export interface TargetReader {
  read(): Promise<ApiServerTarget>;
  /** Discards the credential of the plugin. */
  invalidate(): void;
}

/** The files and programs that the settings name, read at each call. */
export function createTargetReader(settings: KubeconfigSettings, environment: KubeconfigEnvironment): TargetReader {
  const { server, serverName } = settings;
  const authorities = textOf(settings.authorities);
  const token = textOf(settings.token);
  const certificate = textOf(settings.certificate);
  const key = textOf(settings.key);
  const plugin = pluginOf(settings, authorities, environment);
  return {
    read: async () => {
      const configuredCredential = credentialOf(token(), certificate(), key());
      const pluginCredential = plugin === undefined ? {} : await plugin.current();
      const trusted = authorities();
      return {
        server,
        ...(serverName !== undefined && { serverName }),
        ...(trusted !== undefined && { authorities: trusted }),
        ...withoutExpiry(pluginCredential),
        ...configuredCredential,
      };
    },
    invalidate: () => plugin?.invalidate(),
  };
}

function textOf(source: KubeconfigValue | undefined): () => string | undefined {
  if (source === undefined) return () => undefined;
  if ('text' in source) return () => source.text.reveal();
  return freshFile(source.file).read;
}

interface TargetCredential {
  readonly token?: Secret;
  readonly client?: ClientCertificate;
}

function credentialOf(token?: string, certificate?: string, key?: string): TargetCredential {
  return {
    ...(token !== undefined && { token: new Secret(token.trim()) }),
    ...(certificate !== undefined && key !== undefined && { client: { certificate, key: new Secret(key) } }),
  };
}

function withoutExpiry({ token, client }: ExecCredential): TargetCredential {
  return { ...(token !== undefined && { token }), ...(client !== undefined && { client }) };
}

function pluginOf(
  { exec, server, serverName }: KubeconfigSettings,
  authorities: () => string | undefined,
  { env, clock }: KubeconfigEnvironment,
): CachedCredential | undefined {
  if (exec === undefined) return undefined;
  const run = (): Promise<ExecCredential> => {
    const trusted = authorities();
    const cluster = {
      server: server.href.replace(/\/$/, ''),
      ...(serverName !== undefined && { 'tls-server-name': serverName }),
      ...(trusted !== undefined && { 'certificate-authority-data': Buffer.from(trusted).toString('base64') }),
    };
    return runExecPlugin(exec, { interactive: false, ...(exec.providesClusterInfo && { cluster }) }, env);
  };
  return cacheCredential(run, clock);
}
