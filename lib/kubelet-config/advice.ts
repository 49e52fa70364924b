import type { KubeletHints } from '../../schemas/kubelet-hints.ts';
import type { Mistake } from './finding.ts';
import type { CredentialProvider } from './schema.ts';

/** What the kubelet accepts silently and what then does not work. */
export function adviceFor(provider: CredentialProvider, hints: readonly KubeletHints[]): readonly Mistake[] {
  return [...imageAdvice(provider, hints), ...tokenAdvice(provider, hints)];
}

function warning(code: Mistake['code'], path: Mistake['path'], what: string, remedy: string): Mistake {
  return { severity: 'warning', code, path, what, remedy };
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

function imageAdvice({ matchImages }: CredentialProvider, hints: readonly KubeletHints[]): readonly Mistake[] {
  const all = [...imageMistakes, ...hints.flatMap(({ wrongGlobs = [] }) => wrongGlobs)];
  return (matchImages ?? []).flatMap((image, index) =>
    all
      .filter(({ pattern }) => pattern.test(image ?? ''))
      .map(({ what, remedy }) =>
        warning('matches-nothing', ['matchImages', index], `${JSON.stringify(image)}: ${what}`, remedy),
      ),
  );
}

/** Without a required annotation the kubelet calls the provider for every pod, even for one without a role. */
function tokenAdvice(
  { tokenAttributes: attributes }: CredentialProvider,
  hints: readonly KubeletHints[],
): readonly Mistake[] {
  if (!attributes || (attributes.requiredServiceAccountAnnotationKeys ?? []).length > 0) return [];
  const audience = attributes.serviceAccountTokenAudience ?? '';
  if (hints.some(({ pod }) => pod?.audiencesWithoutAnnotation?.test(audience))) return [];
  const remedy = 'list the annotation that names the role in requiredServiceAccountAnnotationKeys';
  const what =
    'no annotation is required, so it is called for pods of every service account and fails for those without a role';
  return [warning('no-required-annotation', ['tokenAttributes'], what, remedy)];
}
