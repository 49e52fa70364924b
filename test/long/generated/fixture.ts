import { createPrivateKey } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClientCertificate } from '../../clouds/azure/client-certificate.ts';
import { createAuthority } from '../../lab/authority.ts';
import { openTestProxy } from './test-proxy.ts';
import type { TestProxy } from './test-proxy.ts';
import { openRawServers } from './raw-servers.ts';
import type { RawServers } from './raw-servers.ts';
import type { CaseSigner } from './environment-options.ts';

/** Where cases are played, one at a time: servers of its own and a directory that is also the home. */
export interface CaseFixture {
  readonly servers: RawServers;
  readonly proxy: TestProxy;
  readonly directory: string;
  /** Trusts the gate. */
  readonly authorityFile: string;
  /** For identities that sign. */
  readonly signer: CaseSigner;
  close(): Promise<void>;
}

/**
 * One for the function and the executable: where a case changes a character of the key, it depends on the key whether
 * the rest can still be read.
 */
let sharedSigner: Promise<CaseSigner> | undefined;

export async function openCaseFixture(): Promise<CaseFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-generated-'));
  sharedSigner ??= createSigner();
  const [servers, authority, signer] = await Promise.all([
    openRawServers(),
    createAuthority(directory, 'gate-authority'),
    sharedSigner,
  ]);
  const proxy = await openTestProxy(authority, servers);
  return {
    servers,
    proxy,
    directory,
    authorityFile: authority.certificateFile,
    signer,
    close: async () => {
      await proxy.close();
      await servers.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function createSigner(): Promise<CaseSigner> {
  const certificate = await createClientCertificate();
  return { ...certificate, privateKey: plainKey(certificate.pem, certificate.password) };
}

function plainKey(pem: string, passphrase: string): string {
  return createPrivateKey({ key: pem, passphrase }).export({ type: 'pkcs8', format: 'pem' }).toString();
}
