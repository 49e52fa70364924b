import { Failure } from '../lib/failure.ts';

const largestRequestBytes = 1_000_000;
/** The kubelet writes at once; whoever keeps us waiting longer is a person at a terminal. */
const longestWaitMs = 10_000;

/** Standard input to its end. A stream, since a blocking read could be neither bounded nor given up. */
export function readInput(): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let lengthBytes = 0;
    const timer = setTimeout(() => reject(unreadable('did not end within 10 s')), longestWaitMs);
    process.stdin.on('data', (part: Buffer) => {
      lengthBytes += part.length;
      parts.push(part);
      if (lengthBytes > largestRequestBytes) reject(unreadable('is larger than 1 MB'));
    });
    process.stdin.on('error', () => reject(unreadable('cannot be read')));
    process.stdin.on('end', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts).toString('utf8'));
    });
  });
}

function unreadable(why: string): Failure {
  return new Failure('invalid-response', `the request cannot be read: standard input ${why}`, {
    remedy: 'write one CredentialProviderRequest to it and close it',
  });
}
