import { generateKeyPair } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createAuthority, filesOf, openAuthority } from '../authority.ts';
import type { Authority, CertificateFiles } from '../authority.ts';

/** Everything that the parts of one control plane trust and prove themselves by. */
export interface Certificates {
  readonly authority: Authority;
  /** Signs for those who pass on requests with the names of others in headers. */
  readonly frontProxyAuthority: Authority;
  readonly frontProxyClient: CertificateFiles;
  /** For the API server and the other two. */
  readonly server: CertificateFiles;
  readonly admin: CertificateFiles;
  /** By which the API server proves itself to kubelets. */
  readonly kubeletClient: CertificateFiles;
  readonly serviceAccounts: { readonly keyFile: string; readonly publicKeyFile: string };
}

/** The first address of the range of the Services: the API server's own inside a cluster. */
const serviceAddress = '10.96.0.1';
const serverSubjects = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  'localhost',
  '127.0.0.1',
  serviceAddress,
];
const adminGroups = ['system:masters'];

const authorityName = 'cluster-authority';
const frontProxyAuthorityName = 'front-proxy-authority';

export async function makeCertificates(directory: string): Promise<Certificates> {
  await mkdir(directory);
  const [authority, frontProxyAuthority] = await Promise.all([
    createAuthority(directory, authorityName),
    createAuthority(directory, frontProxyAuthorityName),
    makeServiceAccountKeys(directory),
  ]);
  await Promise.all([
    authority.issue('kube-apiserver', serverSubjects),
    authority.issueClient('admin', { user: 'lab-admin', groups: adminGroups }),
    authority.issueClient('kubelet-client', { user: 'kube-apiserver-kubelet-client', groups: adminGroups }),
    frontProxyAuthority.issueClient('front-proxy-client', { user: frontProxyName, groups: [] }),
  ]);
  return openCertificates(directory);
}

/** Those that were made there before. */
export function openCertificates(directory: string): Certificates {
  return {
    authority: openAuthority(directory, authorityName),
    frontProxyAuthority: openAuthority(directory, frontProxyAuthorityName),
    frontProxyClient: filesOf(directory, 'front-proxy-client'),
    server: filesOf(directory, 'kube-apiserver'),
    admin: filesOf(directory, 'admin'),
    kubeletClient: filesOf(directory, 'kubelet-client'),
    serviceAccounts: serviceAccountKeysOf(directory),
  };
}

/** The only one that the API server and its like let speak for others. */
export const frontProxyName = 'front-proxy-client';

async function makeServiceAccountKeys(directory: string): Promise<void> {
  const { keyFile, publicKeyFile } = serviceAccountKeysOf(directory);
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  await writeFile(keyFile, privateKey, { mode: 0o600 });
  await writeFile(publicKeyFile, publicKey);
}

function serviceAccountKeysOf(directory: string): Certificates['serviceAccounts'] {
  return { keyFile: join(directory, 'service-accounts.key'), publicKeyFile: join(directory, 'service-accounts.pub') };
}
