/** Written into the executables when they are built; absent when the sources are run. */
declare const POLYCLOUD_BUILD: { readonly version: string; readonly commit: string } | undefined;

const build = typeof POLYCLOUD_BUILD === 'undefined' ? { version: '0.0.0', commit: 'source' } : POLYCLOUD_BUILD;

export const { version, commit } = build;

/** One line: name, version, commit, Node version. */
export function versionLine(programName: string): string {
  return `${programName} ${build.version} commit ${build.commit} Node ${process.versions.node}`;
}
