/** The build writes it into the executables. It is absent when the sources run. */
declare const POLYCLOUD_BUILD: { readonly version: string; readonly commit: string } | undefined;

const build = typeof POLYCLOUD_BUILD === 'undefined' ? { version: '0.0.0', commit: 'source' } : POLYCLOUD_BUILD;

export const { version, commit } = build;

/** One line: name, version, commit, Node.js version. */
export function versionLine(programName: string): string {
  return `${programName} ${version} commit ${commit} Node ${process.versions.node}`;
}

export function versionJson(programName: string): string {
  return JSON.stringify({ name: programName, version, commit, node: process.versions.node });
}
