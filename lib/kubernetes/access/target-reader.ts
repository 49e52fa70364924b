import type { Clock } from '../../clock.ts';
import { Secret } from '../../secret.ts';
import type { ClientCertificate, Target } from './access.ts';
import { runExecPlugin } from './exec-credential.ts';
import type { ExecCredential } from './exec-credential.ts';
import { freshFile } from './fresh-file.ts';
import { keepCredential } from './keep-credential.ts';
import type { KeptCredential } from './keep-credential.ts';
import type { KubeconfigSettings, Source } from './kubeconfig-settings.ts';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

export interface TargetReader {
  read(): Promise<Target>;
  /** What a plugin gave is not to be given again. */
  forget(): void;
}

/** What the settings name, read at each call. */
export function createTargetReader(settings: KubeconfigSettings, surroundings: Surroundings): TargetReader {
  const { server, serverName } = settings;
  const authorities = textOf(settings.authorities);
  const token = textOf(settings.token);
  const certificate = textOf(settings.certificate);
  const key = textOf(settings.key);
  const plugin = pluginOf(settings, authorities, surroundings);
  return {
    read: async () => {
      const own = ownCredential(token(), certificate(), key());
      const given = plugin === undefined ? {} : await plugin.current();
      const trusted = authorities();
      return {
        server,
        ...(serverName !== undefined && { serverName }),
        ...(trusted !== undefined && { authorities: trusted }),
        ...withoutExpiry(given),
        ...own,
      };
    },
    forget: () => plugin?.forget(),
  };
}

function textOf(source: Source | undefined): () => string | undefined {
  if (source === undefined) return () => undefined;
  if ('text' in source) return () => source.text.reveal();
  return freshFile(source.file).read;
}

interface OwnCredential {
  readonly token?: Secret;
  readonly client?: ClientCertificate;
}

function ownCredential(token?: string, certificate?: string, key?: string): OwnCredential {
  return {
    ...(token !== undefined && { token: new Secret(token.trim()) }),
    ...(certificate !== undefined && key !== undefined && { client: { certificate, key: new Secret(key) } }),
  };
}

function withoutExpiry({ token, client }: ExecCredential): OwnCredential {
  return { ...(token !== undefined && { token }), ...(client !== undefined && { client }) };
}

function pluginOf(
  { exec, server, serverName }: KubeconfigSettings,
  authorities: () => string | undefined,
  { env, clock }: Surroundings,
): KeptCredential | undefined {
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
  return keepCredential(run, clock);
}
