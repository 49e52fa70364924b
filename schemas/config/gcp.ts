import * as z from 'zod/mini';
import { gcpDefaults } from './gcp.defaults.ts';
import { annotationKeys, domain, httpsUrl } from './formats.ts';

const poolProvider = z
  .string()
  .check(
    z.regex(
      /^projects\/\d+\/locations\/[a-z0-9-]+\/workloadIdentityPools\/[a-z0-9-]+\/providers\/[a-z0-9-]+$/,
      'must be projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER',
    ),
  );

/** Private names for Google’s APIs. */
const GcpEndpoints = z.strictObject({
  sts: z.optional(
    httpsUrl.check(
      z.describe('Replaces `https://sts.googleapis.com`.'),
      z.meta({ examples: ['https://sts-internal.p.googleapis.com'] }),
    ),
  ),
  iamCredentials: z.optional(
    httpsUrl.check(
      z.describe('Replaces `https://iamcredentials.googleapis.com`.'),
      z.meta({ examples: ['https://iamcredentials-internal.p.googleapis.com'] }),
    ),
  ),
  compute: z.optional(
    httpsUrl.check(
      z.describe('Replaces `https://compute.googleapis.com`.'),
      z.meta({ examples: ['https://compute-internal.p.googleapis.com'] }),
    ),
  ),
  oauth2: z.optional(
    httpsUrl.check(
      z.describe('Replaces `https://oauth2.googleapis.com`.'),
      z.meta({ examples: ['https://oauth2-internal.p.googleapis.com'] }),
    ),
  ),
});

const GcpProject = z.strictObject({
  name: z
    .string()
    .check(
      z.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lower-case letters, digits and hyphens'),
      z.describe('Its name in logs and metrics.'),
      z.meta({ examples: ['prod'] }),
    ),
  projectId: z
    .string()
    .check(
      z.regex(/^(?:[a-z0-9.-]{1,100}:)?[a-z][a-z0-9-]{4,61}$/, 'must be the id of a project, not its number'),
      z.describe('Its id, as in the providerIDs of its nodes.'),
      z.meta({ examples: ['my-project'] }),
    ),
  serviceAccount: z.optional(
    z
      .string()
      .check(
        z.regex(/^[a-z0-9][a-z0-9._-]{0,100}@[a-z0-9.-]{1,200}$/, 'must be the e-mail address of a service account'),
        z.describe('The service account for look-ups. Without one, the controller’s own identity is used.'),
        z.meta({ examples: ['nodes@my-project.iam.gserviceaccount.com'] }),
      ),
  ),
});

const GcpSettings = z.strictObject({
  serviceAccountAnnotations: z
    ._default(annotationKeys, gcpDefaults.serviceAccountAnnotations)
    .check(
      z.describe(
        'Service account annotations that may name the Google service account to impersonate. The first one present wins. If none is present, the pod’s own principal logs in.',
      ),
    ),
  providerAnnotations: z
    ._default(annotationKeys, gcpDefaults.providerAnnotations)
    .check(
      z.describe(
        'Service account annotations that may name the provider of the workload identity pool for a pod’s token. The first one present wins.',
      ),
    ),
  workloadIdentityProvider: z.optional(
    poolProvider.check(
      z.describe('The provider if no annotation names one. Without either, the audience of the token names it.'),
      z.meta({ examples: ['projects/123456789012/locations/global/workloadIdentityPools/pool/providers/cluster'] }),
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
      gcpDefaults.scopes,
    )
    .check(
      z.describe('The scopes of requested access tokens. The instance’s own token has the scopes of the instance.'),
    ),
  projects: z
    ._default(
      z.array(GcpProject).check(
        z.refine((all) => noRepeats(all.map(({ name }) => name)), 'has two entries with the same `name`'),
        z.refine(
          (all) => noRepeats(all.map(({ projectId }) => projectId)),
          'has two entries with the same `projectId`',
        ),
      ),
      [],
    )
    .check(
      z.describe(
        'Projects of the nodes’ instances. Without them, the controller’s own identity is used, in the project of the machine that it runs on or in `GOOGLE_CLOUD_PROJECT`.',
      ),
    ),
  universeDomain: z
    ._default(domain, gcpDefaults.universeDomain)
    .check(z.describe('The domain of the APIs, for clouds that partners of Google operate, e.g. `s3nsapis.fr`.')),
  registryDomain: z
    ._default(domain, gcpDefaults.registryDomain)
    .check(z.describe('The domain of that universe’s Artifact Registry, e.g. `s3nsregistry.fr`.')),
  endpoints: z
    ._default(GcpEndpoints, gcpDefaults.endpoints)
    .check(z.describe('Hosts that replace the public ones, for instance those of Private Service Connect.')),
});

export const GcpConfig = z._default(GcpSettings, gcpDefaults).check(z.describe('Settings for Google Cloud.'));
export type GcpConfig = z.infer<typeof GcpConfig>;
/** A project, and the identity for look-ups in it. */
export type ProjectConfig = GcpConfig['projects'][number];

function noRepeats(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}
