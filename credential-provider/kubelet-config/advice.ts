import type { Mistake } from './finding.ts';
import type { CredentialProvider } from './schema.ts';

/** What the kubelet takes without a word, and what then does not work. */
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
    what: 'a * in a path is no wildcard',
    remedy: 'end it with the part of the path that is the same for all images',
  },
  {
    pattern: /^https?:\/\//,
    what: 'it begins with a scheme, so it matches no image',
    remedy: 'begin it with the host',
  },
  {
    pattern: /\.amazonaws\.cn(?:[:/]|$)/,
    what: 'AWS in China has no registries there',
    remedy: 'write .amazonaws.com.cn',
  },
  {
    pattern: /^\*+(?:[:/]|$)/,
    what: '* stands for one part of a host name, and no registry has only one',
    remedy: 'write as many parts as the host has, e.g. *.example.com',
  },
  {
    pattern: /^\[[\da-f:.]+\](?:\/|$)/i,
    what: 'an IPv6 address without a port matches no image',
    remedy: 'write the port behind it, or give the registry a name',
  },
  {
    pattern: /^\[[\da-f:.]+\]:\d/i,
    what: 'polycloud knows no registry by an IPv6 address and answers without a login',
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

/** Google knows a pod by its token alone. */
const needsNoAnnotation = /^(?:https:)?\/\/iam\.googleapis\.com\/|\.svc\.id\.goog$/;

/** Without a required annotation the kubelet calls the provider for every pod, also for those that have no role to take on. */
function tokenAdvice({ tokenAttributes: attributes }: CredentialProvider): readonly Mistake[] {
  if (!attributes || (attributes.requiredServiceAccountAnnotationKeys ?? []).length > 0) return [];
  if (needsNoAnnotation.test(attributes.serviceAccountTokenAudience ?? '')) return [];
  const remedy = 'list the annotation that names the role in requiredServiceAccountAnnotationKeys';
  const what = 'no annotation is required, so pods of every service account are sent here and fail without one';
  return [warning(['tokenAttributes'], what, remedy)];
}
