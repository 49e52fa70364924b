/** The architectures of the executables, with Node's names. */
export const architectures = ['x64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

export function hostArchitecture(): Architecture {
  const arch = architectures.find((candidate) => candidate === process.arch);
  if (arch === undefined) throw new Error(`Executables run on ${architectures.join(' and ')}, not on ${process.arch}`);
  return arch;
}
