import type { FileHash } from './checksums.ts';
import type { ReleaseFacts } from './release-facts.ts';

/**
 * What was made from which sources and how: an in-toto statement with SLSA provenance. It has no time of the build, so
 * that a second build has the same bytes. Pure.
 * https://slsa.dev/spec/v1.0/provenance
 */
export function formatProvenance(hashes: readonly FileHash[], { version, commit }: ReleaseFacts): string {
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: hashes.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://polycloud.dev/build/npm-run-release/v1',
        externalParameters: { version },
        internalParameters: { node: process.versions.node },
        resolvedDependencies: [{ name: 'polycloud', digest: { gitCommit: commit } }],
      },
      runDetails: { builder: { id: 'https://polycloud.dev/build/npm-run-release' } },
    },
  };
  return `${JSON.stringify(statement, null, 2)}\n`;
}
