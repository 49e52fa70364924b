/**
 * In place of the SDK's search for credentials, over 100 KB that never run: each client of ours is told whose it uses, or
 * makes only calls that are not signed.
 */
export function defaultProvider(): () => Promise<never> {
  return () => Promise.reject(new Error('a client of the AWS SDK was not told whose credentials it uses'));
}
