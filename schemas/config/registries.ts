import * as z from 'zod/mini';
import { federationClouds } from '../generated/clouds.ts';
import { absolutePath, annotationKey, hostAndPath, name } from './formats.ts';

const StoredLogin = z.strictObject({
  usernameFile: absolutePath.check(z.describe('File with the user name, read at each login.')),
  passwordFile: absolutePath.check(z.describe('File with the password, read at each login.')),
});

const FederationByCloud = z.strictObject({
  from: z.enum(federationClouds).check(z.describe('The cloud that the node runs on. It signs the token.')),
  audience: name.check(
    z.describe('The audience of the token, as the registry’s cloud requires it, e.g. `api://AzureADTokenExchange`.'),
  ),
});

const FederationByFile = z.strictObject({
  from: z.literal('file').check(z.describe('`file` for a signed token in a file.')),
  tokenFile: absolutePath.check(z.describe('The file with the token, read at each login.')),
});

const RegistryEntry = z
  .strictObject({
    match: hostAndPath.check(z.describe('The images: `host[:port][/path]`. The longest match wins.')),
    as: z.optional(
      hostAndPath.check(
        z.describe(
          'The registry whose login these images need, for a mirror, a pull-through cache or a domain of your own.',
        ),
      ),
    ),
    nodeIdentity: z.optional(
      name.check(
        z.describe(
          'The node’s identity that logs in: on AWS the name of a profile, on Azure the client id or resource id of a managed identity, on Google Cloud the e-mail address of a service account.',
        ),
      ),
    ),
    role: z.optional(
      z
        .record(annotationKey, name)
        .check(
          z.describe(
            'What the node’s identity assumes: a role of another account, an application of another tenant, or a service account to impersonate. The keys are those of the annotations on a pod’s service account.',
          ),
        ),
    ),
    federation: z.optional(
      z
        .discriminatedUnion('from', [FederationByCloud, FederationByFile])
        .check(z.describe('How the node logs in to a registry of another cloud than its own.')),
    ),
    login: z.optional(StoredLogin.check(z.describe('A login in files, for a registry without a cloud.'))),
  })
  .check(
    z.refine(
      ({ login, match: _match, ...others }) =>
        (login === undefined) === Object.values(others).some((value) => value !== undefined),
      'needs either `login` alone, or some of `as`, `nodeIdentity`, `role` and `federation`',
    ),
    z.refine(
      ({ federation, role }) => federation === undefined || role !== undefined,
      'has `federation` without the `role` that it is for',
    ),
  );
export type RegistryEntry = z.infer<typeof RegistryEntry>;

/** Images whose login does not follow from their host alone. */
export const Registries = z.array(RegistryEntry).check(z.refine(noRepeats, 'has two entries with the same `match`'));

/** For the reference page: each key at least once. */
export const registriesExample = [
  { match: 'images.example.com/base', as: '123456789012.dkr.ecr.eu-central-1.amazonaws.com' },
  { match: '210987654321.dkr.ecr.us-east-1.amazonaws.com', nodeIdentity: 'partner' },
  {
    match: 'example.azurecr.io',
    role: { 'kubernetes.azure.com/acr-client-id': '11111111-1111-4111-8111-111111111111' },
    federation: { from: 'aws', audience: 'api://AzureADTokenExchange' },
  },
  {
    match: 'europe-docker.pkg.dev/project',
    role: { 'iam.gke.io/gcp-service-account': 'puller@project.iam.gserviceaccount.com' },
    federation: { from: 'file', tokenFile: '/etc/polycloud/token' },
  },
  {
    match: 'harbor.example.com:8443',
    login: { usernameFile: '/etc/polycloud/harbor/username', passwordFile: '/etc/polycloud/harbor/password' },
  },
];

function noRepeats(entries: readonly { readonly match: string }[]): boolean {
  return new Set(entries.map(({ match }) => match)).size === entries.length;
}
