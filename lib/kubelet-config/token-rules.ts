import { requestVersions } from '../../schemas/credential-provider.ts';
import { lintError } from './finding.ts';
import type { Mistake } from './finding.ts';
import type { CredentialProvider, TokenAttributes } from './schema.ts';

type Keys = TokenAttributes['requiredServiceAccountAnnotationKeys'];

/** The kubelet's validation of a provider that gets the pod's service account token. */
export function tokenRules(provider: CredentialProvider, configVersion: string): readonly Mistake[] {
  const { tokenAttributes: attributes } = provider;
  if (attributes === null || attributes === undefined) return [];
  if (!configVersion.endsWith('/v1')) {
    const remedy = 'write apiVersion: kubelet.config.k8s.io/v1 at the top of the file';
    return [lintError('wrong-value', ['tokenAttributes'], `${configVersion} has no tokenAttributes`, remedy)];
  }
  const found = [...versionRules(provider), ...requiredRules(attributes), ...annotationRules(attributes)];
  return found.map((mistake) => ({ ...mistake, path: ['tokenAttributes', ...mistake.path] }));
}

function versionRules({ apiVersion }: CredentialProvider): readonly Mistake[] {
  if (apiVersion === requestVersions[0]) return [];
  return [
    lintError(
      'wrong-value',
      [],
      "tokens need the provider's apiVersion to be v1",
      `write apiVersion: ${requestVersions[0]}`,
    ),
  ];
}

const cacheTypes = ['ServiceAccount', 'Token'];

function requiredRules(attributes: TokenAttributes): readonly Mistake[] {
  const { serviceAccountTokenAudience, requireServiceAccount, cacheType } = attributes;
  return [
    ...(serviceAccountTokenAudience
      ? []
      : [
          lintError(
            'missing-key',
            ['serviceAccountTokenAudience'],
            'the audience is missing',
            'set it to the audience that the cloud expects',
          ),
        ]),
    ...(typeof requireServiceAccount === 'boolean'
      ? []
      : [
          lintError(
            'missing-key',
            ['requireServiceAccount'],
            'requireServiceAccount is missing',
            'write true, or false for static pods',
          ),
        ]),
    ...(cacheTypes.includes(cacheType ?? '')
      ? []
      : [
          lintError(
            'wrong-value',
            ['cacheType'],
            `cacheType is not one of ${cacheTypes.join(', ')}`,
            'write cacheType: ServiceAccount',
          ),
        ]),
  ];
}

function annotationRules(attributes: TokenAttributes): readonly Mistake[] {
  const required = attributes.requiredServiceAccountAnnotationKeys;
  const optional = attributes.optionalServiceAccountAnnotationKeys;
  const needsAccount = attributes.requireServiceAccount === false && (required ?? []).length > 0;
  const both = (required ?? []).filter((key) => (optional ?? []).includes(key));
  return [
    ...(needsAccount
      ? [
          lintError(
            'wrong-value',
            ['requireServiceAccount'],
            'annotations are required, but the service account is not',
            'write true here',
          ),
        ]
      : []),
    ...keyRules('requiredServiceAccountAnnotationKeys', required),
    ...keyRules('optionalServiceAccountAnnotationKeys', optional),
    ...both.map((key) => lintError('wrong-value', [], `${key} is both required and optional`, 'list it once')),
  ];
}

function keyRules(field: string, keys: Keys): readonly Mistake[] {
  return (keys ?? []).flatMap((key, index) => {
    if (!isQualifiedName(key ?? '')) {
      return [
        lintError('wrong-value', [field, index], `${JSON.stringify(key)} is not an annotation key`, 'correct it'),
      ];
    }
    return (keys ?? []).indexOf(key) < index
      ? [lintError('wrong-value', [field, index], `${key} is listed twice`, 'list it once')]
      : [];
  });
}

const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const domain = new RegExp(`^(?=.{1,253}$)${label}(?:\\.${label})*$`);
const namePart = /^(?=.{1,63}$)[a-z0-9](?:[\w.-]*[a-z0-9])?$/;

/** `[domain/]name`, in upper or lower case. */
function isQualifiedName(key: string): boolean {
  const parts = key.toLowerCase().split('/');
  const name = parts.pop() ?? '';
  const [prefix] = parts;
  return parts.length < 2 && namePart.test(name) && (prefix === undefined || domain.test(prefix));
}
