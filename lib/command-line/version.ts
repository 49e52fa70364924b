/** The build writes it into the executables. It is absent when the sources run. */
declare const POLYCLOUD_BUILD: { readonly version: string; readonly commit: string } | undefined;

const build = typeof POLYCLOUD_BUILD === 'undefined' ? { version: '0.0.0', commit: 'source' } : POLYCLOUD_BUILD;

export const { version, commit } = build;

/** One line: name, version, commit, Node version. */
export function versionLine(programName: string): string {
  return `${programName} ${build.version} commit ${build.commit} Node ${process.versions.node}`;
}
