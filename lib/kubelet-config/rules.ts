import { parseGoDuration } from '../go-duration.ts';
import { requestVersions } from '../../schemas/credential-provider.ts';
import { lintError } from './finding.ts';
import type { Mistake } from './finding.ts';
import { isMatchImage } from './match-image.ts';
import type { CredentialProvider } from './schema.ts';
import { tokenRules } from './token-rules.ts';

/** The kubelet's validation of one provider, in its order. */
export function providerRules(provider: CredentialProvider, configVersion: string): readonly Mistake[] {
  return [
    ...nameRules(provider.name ?? ''),
    ...apiVersionRules(provider.apiVersion ?? ''),
    ...matchImagesRules(provider.matchImages ?? []),
    ...cacheDurationRules(provider.defaultCacheDuration),
    ...tokenRules(provider, configVersion),
  ];
}

function nameRules(name: string): readonly Mistake[] {
  if (name === '') {
    return [
      lintError(
        'missing-key',
        ['name'],
        'the provider has no name',
        'set it to the name of the executable in the bin directory',
      ),
    ];
  }
  if (!/[/ ]/.test(name) && name !== '.' && name !== '..') return [];
  return [
    lintError(
      'wrong-value',
      ['name'],
      `${JSON.stringify(name)} is not a file name`,
      'write only the name of the executable',
    ),
  ];
}

function apiVersionRules(apiVersion: string): readonly Mistake[] {
  if (requestVersions.some((version) => version === apiVersion)) return [];
  const what = apiVersion === '' ? 'is missing' : `is not one of ${requestVersions.join(', ')}`;
  return [
    lintError(
      'wrong-value',
      ['apiVersion'],
      `the provider's apiVersion ${what}`,
      `write apiVersion: ${requestVersions[0]}`,
    ),
  ];
}

function matchImagesRules(entries: readonly (string | null)[]): readonly Mistake[] {
  if (entries.length === 0) {
    return [
      lintError(
        'missing-key',
        ['matchImages'],
        'matchImages has no entry',
        'list the registries that this provider serves',
      ),
    ];
  }
  return entries.flatMap((entry, index) =>
    isMatchImage(entry ?? '')
      ? []
      : [
          lintError(
            'wrong-value',
            ['matchImages', index],
            `${JSON.stringify(entry)} is not host[:port][/path]`,
            'correct it',
          ),
        ],
  );
}

const durationRemedy = 'write a Go duration in quotes, e.g. defaultCacheDuration: "0s"';

function cacheDurationRules(duration: string | null | undefined): readonly Mistake[] {
  const path = ['defaultCacheDuration'];
  if (duration === null || duration === undefined) {
    return [lintError('missing-key', path, 'defaultCacheDuration is missing', durationRemedy)];
  }
  const durationMs = parseGoDuration(duration.replace(/^[+-]/, ''));
  if (durationMs === undefined) {
    return [lintError('wrong-value', path, `${JSON.stringify(duration)} is not a duration`, durationRemedy)];
  }
  if (!duration.startsWith('-') || durationMs === 0) return [];
  return [lintError('wrong-value', path, 'defaultCacheDuration is negative', durationRemedy)];
}
