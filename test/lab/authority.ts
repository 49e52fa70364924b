import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A certificate authority of the lab's own. */
export interface Authority {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** `name` is for the files; `subjects` are the host names and addresses that the certificate is good for. */
  issue(name: string, subjects: readonly string[]): Promise<CertificateFiles>;
  /** For a client. Good for no host. */
  issueClient(name: string, holder: CertificateUser): Promise<CertificateFiles>;
}

/** Who a client certificate speaks for, as Kubernetes reads it. */
export interface CertificateUser {
  readonly user: string;
  readonly groups: readonly string[];
}

export interface CertificateFiles {
  readonly keyFile: string;
  readonly certificateFile: string;
}

/** Its files are put into the directory, which is the caller's to remove. Two in one directory take two names. */
export async function createAuthority(directory: string, name = 'authority'): Promise<Authority> {
  const self = { name, subject: commonName(`lab ${name}`), extensions: rootExtensions, signedBy: [] };
  await create(directory, self);
  return openAuthority(directory, name);
}

/** One that was created there before. */
export function openAuthority(directory: string, name: string): Authority {
  const root = filesOf(directory, name);
  const signedBy = ['-CA', root.certificateFile, '-CAkey', root.keyFile];
  return {
    ...root,
    issue: (server, subjects) =>
      create(directory, {
        name: server,
        subject: commonName(`lab ${server}`),
        extensions: serverExtensions(subjects),
        signedBy,
      }),
    issueClient: (client, holder) =>
      create(directory, { name: client, subject: userSubject(holder), extensions: clientExtensions, signedBy }),
  };
}

interface CertificateSpec {
  readonly name: string;
  readonly subject: readonly string[];
  readonly extensions: readonly string[];
  readonly signedBy: readonly string[];
}

const runProgram = promisify(execFile);

const validDays = 30;

/** One call makes the key and the certificate. A configuration of its own keeps the machine's defaults out. */
async function create(
  directory: string,
  { name, subject, extensions, signedBy }: CertificateSpec,
): Promise<CertificateFiles> {
  const files = filesOf(directory, name);
  const configFile = join(directory, `${name}.cnf`);
  await writeFile(configFile, [...head, ...subject, ...extensions, ''].join('\n'));
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', files.keyFile];
  const certificate = ['-x509', '-days', String(validDays), '-out', files.certificateFile, '-config', configFile];
  await runProgram('openssl', ['req', ...certificate, ...newKey, ...signedBy]);
  return files;
}

export function filesOf(directory: string, name: string): CertificateFiles {
  return { keyFile: join(directory, `${name}.key`), certificateFile: join(directory, `${name}.crt`) };
}

const head = ['[req]', 'prompt=no', 'distinguished_name=subject', 'x509_extensions=extensions', '[subject]'];

function commonName(name: string): readonly string[] {
  return [`CN=${name}`];
}

function userSubject({ user, groups }: CertificateUser): readonly string[] {
  for (const part of [user, ...groups]) {
    if (!/^[\w.:@/-]+$/.test(part)) throw new Error(`"${part}" would be read as something else in a certificate`);
  }
  return [...commonName(user), ...groups.map((group, index) => `${String(index)}.O=${group}`)];
}

const commonExtensions = ['[extensions]', 'subjectKeyIdentifier=hash'];
const rootExtensions = [
  ...commonExtensions,
  'basicConstraints=critical,CA:TRUE',
  'keyUsage=critical,keyCertSign,cRLSign',
];
const leafExtensions = [
  ...commonExtensions,
  'basicConstraints=critical,CA:FALSE',
  'keyUsage=critical,digitalSignature',
  'authorityKeyIdentifier=keyid',
];
const clientExtensions = [...leafExtensions, 'extendedKeyUsage=clientAuth'];

function serverExtensions(subjects: readonly string[]): readonly string[] {
  const names = subjects.map((subject, index) => `${isIP(subject) === 0 ? 'DNS' : 'IP'}.${String(index)}=${subject}`);
  return [...leafExtensions, 'extendedKeyUsage=serverAuth', 'subjectAltName=@names', '[names]', ...names];
}
