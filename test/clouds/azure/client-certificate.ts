import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface ClientCertificate {
  /** Certificate and encrypted key in one, as an operator would give it. */
  readonly pem: string;
  readonly certificate: string;
  readonly password: string;
}

const runProgram = promisify(execFile);

/** Self-signed, as an application's may be. The SDK signs only with RSA. */
export async function createClientCertificate(): Promise<ClientCertificate> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-client-'));
  const [keyFile, certificateFile] = [join(directory, 'key.pem'), join(directory, 'certificate.pem')];
  const password = 'LABSECRETpassphrase';
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-days', '30', '-subj', '/CN=lab-application'];
  try {
    await runProgram('openssl', [...args, '-passout', `pass:${password}`, '-keyout', keyFile, '-out', certificateFile]);
    const certificate = await readFile(certificateFile, 'utf8');
    return { pem: `${await readFile(keyFile, 'utf8')}${certificate}`, certificate, password };
  } finally {
    await rm(directory, { recursive: true });
  }
}
