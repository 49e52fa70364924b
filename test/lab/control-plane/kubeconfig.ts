import { readFile, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import type { CertificateFiles } from '../authority.ts';

export type Credential = CertificateFiles | { readonly token: string };

export interface KubeconfigOptions {
  readonly url: string;
  readonly authorityFile: string;
  readonly credential: Credential;
}

/** Everything is inside: the file may be moved. */
export async function writeKubeconfig(
  file: string,
  { url, authorityFile, credential }: KubeconfigOptions,
): Promise<string> {
  const cluster = { server: url, 'certificate-authority-data': await readBase64(authorityFile) };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster }],
    users: [{ name: 'lab', user: await userOf(credential) }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'lab' } }],
    'current-context': 'lab',
  };
  await writeFile(file, stringify(config, { lineWidth: 0 }), { mode: 0o600 });
  return file;
}

async function userOf(credential: Credential): Promise<Readonly<Record<string, string>>> {
  if ('token' in credential) return { token: credential.token };
  return {
    'client-certificate-data': await readBase64(credential.certificateFile),
    'client-key-data': await readBase64(credential.keyFile),
  };
}

async function readBase64(file: string): Promise<string> {
  return (await readFile(file)).toString('base64');
}
