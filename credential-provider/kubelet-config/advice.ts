import type { Mistake } from './finding.ts';
import type { CredentialProvider } from './schema.ts';

/** What the kubelet accepts silently and what then does not work. */
export function adviceFor(provider: CredentialProvider): readonly Mistake[] {
  return [...imageAdvice(provider), ...tokenAdvice(provider)];
}

function warning(path: Mistake['path'], what: string, remedy: string): Mistake {
  return { severity: 'warning', path, what, remedy };
}

interface Advice {
  readonly pattern: RegExp;
  readonly what: string;
  readonly remedy: string;
}

const imageMistakes: readonly Advice[] = [
  {
    pattern: /\/.*\*/,
    what: 'a * in a path is not a wildcard',
    remedy: 'end it with the common prefix of the paths',
  },
  {
    pattern: /^https?:\/\//,
    what: 'it starts with a scheme, so it matches no image',
    remedy: 'remove the scheme',
  },
  {
    pattern: /\.amazonaws\.cn(?:[:/]|$)/,
    what: 'AWS in China has no registries there',
    remedy: 'write .amazonaws.com.cn',
  },
  {
    pattern: /^\*+(?:[:/]|$)/,
    what: '* matches one part of a host name, and no registry has only one',
    remedy: 'write as many parts as the host has, e.g. *.example.com',
  },
  {
    pattern: /^\[[\da-f:.]+\](?:\/|$)/i,
    what: 'an IPv6 address without a port matches no image',
    remedy: 'add the port, or give the registry a name',
  },
  {
    pattern: /^\[[\da-f:.]+\]:\d/i,
    what: 'polycloud serves no registry at an IPv6 address and returns no login',
    remedy: 'give the registry a name',
  },
];

function imageAdvice({ matchImages }: CredentialProvider): readonly Mistake[] {
  return (matchImages ?? []).flatMap((image, index) =>
    imageMistakes
      .filter(({ pattern }) => pattern.test(image ?? ''))
      .map(({ what, remedy }) => warning(['matchImages', index], `${JSON.stringify(image)}: ${what}`, remedy)),
  );
}

/** Google identifies a pod by its token only. */
const needsNoAnnotation = /^(?:https:)?\/\/iam\.googleapis\.com\/|\.svc\.id\.goog$/;

/** Without a required annotation the kubelet calls the provider for every pod, even for one without a role. */
function tokenAdvice({ tokenAttributes: attributes }: CredentialProvider): readonly Mistake[] {
  if (!attributes || (attributes.requiredServiceAccountAnnotationKeys ?? []).length > 0) return [];
  if (needsNoAnnotation.test(attributes.serviceAccountTokenAudience ?? '')) return [];
  const remedy = 'list the annotation that names the role in requiredServiceAccountAnnotationKeys';
  const what =
    'no annotation is required, so it is called for pods of every service account and fails for those without a role';
  return [warning(['tokenAttributes'], what, remedy)];
}
