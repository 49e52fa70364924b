/** In the place of the global `crypto`, which loads all of WebCrypto for the one number that the SDKs want of it. */
export const crypto = {
  randomUUID: (): string => process.getBuiltinModule('node:crypto').randomUUID(),
  getRandomValues: <T extends NodeJS.TypedArray>(array: T): T =>
    process.getBuiltinModule('node:crypto').getRandomValues(array),
  get subtle(): typeof globalThis.crypto.subtle {
    return globalThis.crypto.subtle;
  },
};
