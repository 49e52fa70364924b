import type { BundledPackage } from './bundled-packages.ts';
import type { ReleaseFacts } from './release-facts.ts';

/**
 * A software bill of materials in SPDX 2.3 JSON. The same inputs give the same bytes. Pure.
 * https://spdx.github.io/spdx-spec/v2.3/
 */
export function formatSbom(packages: readonly BundledPackage[], nodeVersion: string, facts: ReleaseFacts): string {
  const { version, commit, createdAt } = facts;
  const node = { name: 'node', version: nodeVersion, licence: 'MIT', purl: `pkg:generic/node@${nodeVersion}` };
  const contained = [node, ...packages.map((each) => ({ ...each, purl: npmUrl(each) }))];
  const own = { name: 'polycloud', version, licence: 'Apache-2.0', purl: `pkg:generic/polycloud@${version}` };
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `polycloud-${version}`,
    documentNamespace: `https://polycloud.dev/spdx/polycloud-${version}-${commit}`,
    creationInfo: { created: spdxTime(createdAt), creators: ['Organization: polycloud', 'Tool: polycloud-release'] },
    packages: [own, ...contained].map(spdxPackage),
    relationships: [
      relationship('SPDXRef-DOCUMENT', 'DESCRIBES', spdxId(own)),
      ...contained.map((each) => relationship(spdxId(own), 'CONTAINS', spdxId(each))),
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

interface Component extends Pick<BundledPackage, 'name' | 'version' | 'licence'> {
  readonly purl: string;
  readonly integrity?: string;
}

function spdxPackage(component: Component): object {
  const { name, version, licence, purl, integrity } = component;
  return {
    SPDXID: spdxId(component),
    name,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: licence,
    licenseDeclared: licence,
    copyrightText: 'NOASSERTION',
    ...(integrity !== undefined && { checksums: [checksumOf(integrity)] }),
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
  };
}

/** `sha512-…` in base64, as npm has it. */
function checksumOf(integrity: string): object {
  const [algorithm = '', hash = ''] = integrity.split('-', 2);
  return { algorithm: algorithm.toUpperCase(), checksumValue: Buffer.from(hash, 'base64').toString('hex') };
}

function relationship(spdxElementId: string, relationshipType: string, relatedSpdxElement: string): object {
  return { spdxElementId, relationshipType, relatedSpdxElement };
}

function spdxId({ name, version }: Pick<Component, 'name' | 'version'>): string {
  return `SPDXRef-${`${name}-${version}`.replaceAll(/[^A-Za-z0-9.]+/g, '-').replace(/^-/, '')}`;
}

/** https://github.com/package-url/purl-spec/blob/main/types-doc/npm-definition.md */
function npmUrl({ name, version }: BundledPackage): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** Without milliseconds. */
function spdxTime(date: Date): string {
  return date.toISOString().replace(/\.\d{3}Z$/, 'Z');
}
