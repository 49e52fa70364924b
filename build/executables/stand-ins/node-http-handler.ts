/** Replaces the HTTP client of the SDK: each of our clients gets a transport, which reads every body to its end. */
export const NodeHttpHandler = {
  create(given: { readonly handle?: unknown }): object {
    if (typeof given.handle === 'function') return given;
    throw new Error('a client of the AWS SDK was made without a transport');
  },
};

export function streamCollector(): never {
  throw new Error('the transport of the AWS SDK left a body unread');
}
