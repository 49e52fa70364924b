import { createPrivateKey, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/**
 * The signature of a file, as `cosign verify-blob --key` and, decoded from base64, `openssl dgst -sha256 -verify` check it.
 * `keyFile`: a PEM file with an ECDSA key on the curve P-256.
 */
export async function signFile(file: string, keyFile: string): Promise<string> {
  const key = readKey(await readFile(keyFile, 'utf8'), keyFile);
  return `${sign('sha256', await readFile(file), key).toString('base64')}\n`;
}

function readKey(pem: string, keyFile: string): KeyObject {
  const key = tryToRead(pem, keyFile);
  if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  throw new Error(`${keyFile}: not an ECDSA key on the curve P-256; hint: ${hint}`);
}

const hint = '`openssl ecparam -name prime256v1 -genkey -noout -out KEY` makes one';

/** The reason of OpenSSL can contain nothing of the key. */
function tryToRead(pem: string, keyFile: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new Error(`${keyFile}: not an unencrypted private key in PEM; hint: ${hint}`, { cause: error });
  }
}
