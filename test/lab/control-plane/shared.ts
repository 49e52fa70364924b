import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Authority, CertificateFiles } from '../authority.ts';
import { createApi } from './api.ts';
import type { CallApi } from './api.ts';
import { followAuditEvents } from './audit.ts';
import type { AuditEvent } from './audit.ts';
import type { Certificates } from './certificates.ts';
import { createClients } from './clients.ts';
import type { Clients } from './clients.ts';

/** The operations on a control plane that another test uses afterwards. */
export interface SharedControlPlane extends Clients {
  /** `https://127.0.0.1:PORT`, the same for life. */
  readonly url: string;
  /** The cluster's own: signs servers, clients and kubelets. */
  readonly authority: Authority;
  readonly certificateAuthority: { readonly file: string; readonly pem: string };
  /** A client certificate of a front proxy: it may name other users in headers, to servers that delegate authentication. */
  readonly frontProxyClient: CertificateFiles;
  /** As the administrator, past kubectl. */
  readonly ask: CallApi;
  /** Everything that was asked of the API server since this was opened, but for its health. The last may come a moment late. */
  auditEvents(): Promise<readonly AuditEvent[]>;
  readonly logDirectory: string;
}

export interface SharedControlPlaneOptions {
  readonly url: string;
  readonly certificates: Certificates;
  /** For the files of clients. */
  readonly directory: string;
  readonly logDirectory: string;
}

export async function openSharedControlPlane(
  options: SharedControlPlaneOptions,
  kubectlFile: string,
): Promise<SharedControlPlane> {
  const { url, certificates, directory, logDirectory } = options;
  const { authority, frontProxyClient } = certificates;
  const ask = adminClient(url, certificates);
  return {
    ...(await createClients({ url, certificates, directory, kubectlFile, ask })),
    url,
    authority,
    certificateAuthority: { file: authority.certificateFile, pem: await readFile(authority.certificateFile, 'utf8') },
    frontProxyClient,
    ask,
    auditEvents: await followAuditEvents(auditLogOf(logDirectory)),
    logDirectory,
  };
}

export function adminClient(url: string, { authority, admin }: Certificates): CallApi {
  return createApi({ url, authorityFile: authority.certificateFile, client: admin });
}

export function certificatesOf(directory: string): string {
  return join(directory, 'certificates');
}

export function auditLogOf(logDirectory: string): string {
  return join(logDirectory, 'audit.log');
}
