import { fileURLToPath } from 'node:url';
import { findSet, prepareSet } from '../../../build/go-programs/program-set.ts';
import type { FoundSet, ProgramSet } from '../../../build/go-programs/program-set.ts';

const version = '3.22.0';

const helm: ProgramSet<'helm'> = {
  title: 'Helm',
  names: ['helm'],
  modules: [
    {
      name: 'helm',
      version,
      acceptedVersion: /^3\.22\.\d+/,
      directory: fileURLToPath(new URL('module', import.meta.url)),
      linkerFlags: `-s -w ${versionFlags()}`,
      packages: { helm: 'helm.sh/helm/v3/cmd/helm' },
      versionArguments: { helm: ['version', '--short'] },
    },
  ],
};

/** Helm, if it is here already. */
export function findHelm(): Promise<FoundSet<'helm'>> {
  return findSet(helm);
}

/** Helm; built if it is missing, which takes about two minutes, once. */
export function prepareHelm(log: (line: string) => void): Promise<FoundSet<'helm'>> {
  return prepareSet(helm, log);
}

/** Without them Helm takes itself for v3.22 and every cluster that it cannot ask for Kubernetes 1.20. */
function versionFlags(): string {
  const kubernetes = { k8sVersionMajor: '1', k8sVersionMinor: '37' };
  return [
    `-X helm.sh/helm/v3/internal/version.version=v${version}`,
    ...Object.entries(kubernetes).flatMap(([name, value]) => [
      `-X helm.sh/helm/v3/pkg/chartutil.${name}=${value}`,
      `-X helm.sh/helm/v3/pkg/lint/rules.${name}=${value}`,
    ]),
  ].join(' ');
}
