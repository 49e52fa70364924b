import * as z from 'zod/mini';
import { defaultGcp } from './defaults.ts';
import { annotationKeys, domain, httpsUrl } from './formats.ts';

const poolProvider = z
  .string()
  .check(
    z.regex(
      /^projects\/\d+\/locations\/[a-z0-9-]+\/workloadIdentityPools\/[a-z0-9-]+\/providers\/[a-z0-9-]+$/,
      'must be projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER',
    ),
  );

/** Where nodes reach Google’s APIs by private names of their own. */
const GcpEndpoints = z.strictObject({
  sts: z.optional(httpsUrl.check(z.describe('In place of `https://sts.googleapis.com`.'))),
  iamCredentials: z.optional(httpsUrl.check(z.describe('In place of `https://iamcredentials.googleapis.com`.'))),
  oauth2: z.optional(httpsUrl.check(z.describe('In place of `https://oauth2.googleapis.com`.'))),
});

export const Gcp = z.strictObject({
  serviceAccountAnnotations: z
    ._default(annotationKeys, defaultGcp.serviceAccountAnnotations)
    .check(
      z.describe(
        'Service account annotations that may name the Google service account to impersonate; the first one present wins. None present: the pod’s own principal logs in.',
      ),
    ),
  providerAnnotations: z
    ._default(annotationKeys, defaultGcp.providerAnnotations)
    .check(
      z.describe(
        'Service account annotations that may name the workload identity pool’s provider that a pod’s token is for; the first one present wins.',
      ),
    ),
  workloadIdentityProvider: z.optional(
    poolProvider.check(
      z.describe('The provider where no annotation names one; without either, the token’s own audience says.'),
    ),
  ),
  scopes: z
    ._default(
      z
        .array(
          z
            .string()
            .check(
              z.regex(/^https:\/\/[\w./-]+$/, 'must be a scope such as https://www.googleapis.com/auth/cloud-platform'),
            ),
        )
        .check(z.minLength(1, 'needs at least one')),
      defaultGcp.scopes,
    )
    .check(z.describe('What access tokens are asked for; the instance’s own token has the instance’s scopes.')),
  universeDomain: z
    ._default(domain, defaultGcp.universeDomain)
    .check(z.describe('Where the APIs are, for clouds that partners of Google’s run, e.g. `s3nsapis.fr`.')),
  registryDomain: z
    ._default(domain, defaultGcp.registryDomain)
    .check(z.describe('Where that universe’s Artifact Registry is, e.g. `s3nsregistry.fr`.')),
  endpoints: z
    ._default(GcpEndpoints, defaultGcp.endpoints)
    .check(z.describe('Hosts to ask in place of the public ones, for instance those of Private Service Connect.')),
});
