import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A certificate authority of the lab's own. */
export interface Authority {
  readonly certificateFile: string;
  /** `name` is for the files; `subjects` are the host names and addresses that the certificate is good for. */
  issue(name: string, subjects: readonly string[]): Promise<ServerCertificate>;
}

export interface ServerCertificate {
  readonly keyFile: string;
  readonly certificateFile: string;
}

/** Its files are put into the directory, which is the caller's to remove. */
export async function createAuthority(directory: string): Promise<Authority> {
  const root = await create(directory, 'authority', rootExtensions, []);
  const signedByRoot = ['-CA', root.certificateFile, '-CAkey', root.keyFile];
  return {
    certificateFile: root.certificateFile,
    issue: (name, subjects) => create(directory, name, serverExtensions(subjects), signedByRoot),
  };
}

const runProgram = promisify(execFile);

const validDays = 30;

/** One call makes the key and the certificate. A configuration of its own keeps the machine's defaults out. */
async function create(
  directory: string,
  name: string,
  extensions: readonly string[],
  signedBy: readonly string[],
): Promise<ServerCertificate> {
  const keyFile = join(directory, `${name}.key`);
  const certificateFile = join(directory, `${name}.crt`);
  const configFile = join(directory, `${name}.cnf`);
  await writeFile(configFile, [...head(name), ...extensions, ''].join('\n'));
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  const certificate = ['-x509', '-days', String(validDays), '-out', certificateFile, '-config', configFile];
  await runProgram('openssl', ['req', ...certificate, ...newKey, ...signedBy]);
  return { keyFile, certificateFile };
}

function head(name: string): readonly string[] {
  const request = ['[req]', 'prompt=no', 'distinguished_name=subject', 'x509_extensions=extensions'];
  return [...request, '[subject]', `CN=lab ${name}`, '[extensions]', 'subjectKeyIdentifier=hash'];
}

const rootExtensions = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];

function serverExtensions(subjects: readonly string[]): readonly string[] {
  const names = subjects.map((subject, index) => `${isIP(subject) === 0 ? 'DNS' : 'IP'}.${String(index)}=${subject}`);
  const use = [
    'basicConstraints=critical,CA:FALSE',
    'keyUsage=critical,digitalSignature',
    'extendedKeyUsage=serverAuth',
  ];
  return [...use, 'authorityKeyIdentifier=keyid', 'subjectAltName=@names', '[names]', ...names];
}
