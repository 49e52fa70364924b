import * as z from 'zod/mini';
import { absolutePath, annotationKey, hostAndPath, name } from './formats.ts';

const StoredLogin = z.strictObject({
  usernameFile: absolutePath.check(z.describe('File that holds the user name, read at each login.')),
  passwordFile: absolutePath.check(z.describe('File that holds the password, read at each login.')),
});

const FederationByCloud = z.strictObject({
  from: z.enum(['aws', 'azure', 'gcp']).check(z.describe('The cloud that the node runs in; it signs the proof.')),
  audience: name.check(
    z.describe('Whom the proof is for, as the registry’s cloud expects it, e.g. `api://AzureADTokenExchange`.'),
  ),
});

const FederationByFile = z.strictObject({
  from: z.literal('file').check(z.describe('A signed token in a file.')),
  tokenFile: absolutePath.check(z.describe('That file, read at each login.')),
});

const RegistryEntry = z
  .strictObject({
    match: hostAndPath.check(z.describe('Images meant: `host[:port][/path]`. The longest match wins.')),
    as: z.optional(
      hostAndPath.check(
        z.describe(
          'The registry whose login these images need: for a mirror, a pull-through cache or a domain of your own.',
        ),
      ),
    ),
    nodeIdentity: z.optional(
      name.check(
        z.describe(
          'Which of the node’s identities logs in, in the cloud’s own terms; on AWS a profile’s name, on Google a service account’s e-mail address.',
        ),
      ),
    ),
    role: z.optional(
      z
        .record(annotationKey, name)
        .check(
          z.describe(
            'What the node’s identity takes on there, by the keys by which a pod’s service account is annotated: a role of another account, an application of another tenant, a service account to impersonate.',
          ),
        ),
    ),
    federation: z.optional(
      z
        .discriminatedUnion('from', [FederationByCloud, FederationByFile])
        .check(
          z.describe('How the node proves to the registry’s cloud who it is, where that is not the cloud it runs in.'),
        ),
    ),
    login: z.optional(StoredLogin.check(z.describe('A login kept in files, for a registry of no cloud.'))),
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

/** Images that are served otherwise than their host alone says. */
export const Registries = z.array(RegistryEntry).check(z.refine(noRepeats, 'has two entries with the same `match`'));

function noRepeats(entries: readonly { readonly match: string }[]): boolean {
  return new Set(entries.map(({ match }) => match)).size === entries.length;
}
