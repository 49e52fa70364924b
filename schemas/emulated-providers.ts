/** The programs that the credential provider emulates when it is started by their names. */
export const emulatedProviderNames = [
  'ecr-credential-provider',
  'acr-credential-provider',
  'auth-provider-gcp',
] as const;
export type EmulatedProviderName = (typeof emulatedProviderNames)[number];
