import type { GcpConfig } from '../../schemas/config/gcp.ts';

/** The endpoint of the token exchange: https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token */
export function tokenExchangeUrl({ endpoints, universeDomain }: GcpConfig): URL {
  return new URL('/v1/token', endpoints.sts ?? `https://sts.${universeDomain}`);
}

/** The token endpoint for keys and refresh tokens. There is one, in Google's own universe. */
export function oauth2TokenUrl({ endpoints }: GcpConfig): URL {
  return new URL('/token', endpoints.oauth2 ?? 'https://oauth2.googleapis.com');
}

/** `path` is below the project. https://cloud.google.com/compute/docs/reference/rest/v1 */
export function computeUrl(project: string, path: string, { endpoints, universeDomain }: GcpConfig): URL {
  const base = endpoints.compute ?? `https://compute.${universeDomain}`;
  return new URL(`/compute/v1/projects/${project}/${path}`, base);
}

export function serviceAccountUrl(
  email: string,
  method: 'generateAccessToken' | 'generateIdToken',
  { endpoints, universeDomain }: GcpConfig,
): URL {
  const base = endpoints.iamCredentials ?? `https://iamcredentials.${universeDomain}`;
  return new URL(`/v1/projects/-/serviceAccounts/${encodeURIComponent(email)}:${method}`, base);
}
