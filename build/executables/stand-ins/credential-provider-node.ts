/**
 * Replaces the credential chain of the SDK, over 100 KB that never run: each of our clients gets its credentials, or
 * makes only calls that are not signed.
 */
export function defaultProvider(): () => Promise<never> {
  return () => Promise.reject(new Error('a client of the AWS SDK was not told whose credentials it uses'));
}
