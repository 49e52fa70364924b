import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Authority } from '../../lab/authority.ts';
import type { TlsKeyPair } from './loopback.ts';

export async function issuePair(authority: Authority, name: string, subjects: readonly string[]): Promise<TlsKeyPair> {
  const { keyFile, certificateFile } = await authority.issue(name, subjects);
  return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certificateFile, 'utf8') };
}

/** Self-signed, for 127.0.0.1, and expired since yesterday. */
export async function expiredPair(directory: string): Promise<TlsKeyPair> {
  const file = (name: string): string => join(directory, name);
  writeFileSync(file('request.cnf'), '[req]\nprompt=no\ndistinguished_name=subject\n[subject]\nCN=expired\n');
  writeFileSync(file('extensions.cnf'), 'subjectAltName=IP:127.0.0.1\n');
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file('expired.key')];
  await runProgram('openssl', ['req', '-new', '-config', file('request.cnf'), ...newKey, '-out', file('expired.csr')]);
  const signingOptions = [
    '-in',
    file('expired.csr'),
    '-signkey',
    file('expired.key'),
    '-extfile',
    file('extensions.cnf'),
  ];
  await runProgram('openssl', ['x509', '-req', ...signingOptions, '-days', '-1', '-out', file('expired.crt')]);
  return { key: readFileSync(file('expired.key'), 'utf8'), cert: readFileSync(file('expired.crt'), 'utf8') };
}

/** Self-signed for two days. */
export async function commonNamePair(directory: string, commonName: string, alternative?: string): Promise<TlsKeyPair> {
  const file = (name: string): string => join(directory, `${commonName}.${name}`);
  const extensions = alternative === undefined ? '' : `[extensions]\nsubjectAltName=${alternative}\n`;
  const use = alternative === undefined ? '' : 'x509_extensions=extensions\n';
  writeFileSync(
    file('cnf'),
    `[req]\nprompt=no\ndistinguished_name=subject\n${use}[subject]\nCN=${commonName}\n${extensions}`,
  );
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file('key')];
  const files = ['-config', file('cnf'), '-out', file('crt')];
  await runProgram('openssl', ['req', '-x509', '-new', '-days', '2', ...files, ...newKey]);
  return { key: readFileSync(file('key'), 'utf8'), cert: readFileSync(file('crt'), 'utf8') };
}

const runProgram = promisify(execFile);
