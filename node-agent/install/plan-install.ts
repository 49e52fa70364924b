import { emulatedProviderNames } from '../../schemas/emulated-providers.ts';
import type { FileChange } from './file-change.ts';
import { hostBrokerChanges } from './host-broker.ts';
import { setFlagLines, setFlagsInVariable } from './kubelet-flags.ts';
import type { FlagFile, KubeletPaths, LayoutWay } from './layouts.ts';
import { entryNames, mergeConfig, removeEntries } from './merge-config.ts';
import type { NamedEntry } from './merge-config.ts';

/** What was found on the host. Paths are those of the host. */
export interface HostFindings {
  /** Absent: none runs as a process of its own. */
  readonly kubelet?: RunningKubelet;
  /** The service that runs the kubelet. */
  readonly service: string;
  /** Whether `--image-credential-provider-config` names a folder. */
  readonly configIsFolder: boolean;
  /** The files that the kubelet reads, by its flag or by the distribution's default; without those that do not exist. */
  readonly configFiles: readonly string[];
  /** The text at a path; `undefined`: there is no such file. */
  readText(path: string): string | undefined;
  /** When a file was written; `undefined`: there is no such file. */
  writtenAtMs(path: string): number | undefined;
  flagFilePath(file: FlagFile): string;
}

export interface RunningKubelet {
  /** Absent: it has not both flags. */
  readonly paths?: KubeletPaths;
  readonly startedAtMs: number;
}

/** The entries for the kubelet's file. */
export interface WantedEntries {
  readonly entries: readonly NamedEntry[];
  /** The operator named registries, so the entries of the vendor are not enough. */
  readonly areNamed: boolean;
}

/** Files to install, where this process finds them. */
export interface InstallSources {
  readonly program: string;
  readonly frontEnd: string;
  /** The agent, which runs the broker on the host. Absent: the host gets no broker. */
  readonly agent?: string;
}

export interface InstallPlan {
  readonly changes: readonly FileChange[];
  /** The kubelet reads its flags and its configuration only when it starts. */
  readonly isRestartNeeded: boolean;
  /** Files that it has not read as they are now: whether it would start with them is not known. */
  readonly untried: readonly string[];
  /** The file with our flags, if the kubelet has started after it was written and runs without them. */
  readonly ignoredFlags?: string;
  readonly paths: KubeletPaths;
  /** The vendor's programs that become links to ours. */
  readonly replaced: readonly string[];
}

/** Where files can be written. */
export type WritableWay = Exclude<LayoutWay, { readonly kind: 'print' | 'refuse' }>;

const ownName = 'polycloud-credential-provider';
const fullName = `${ownName}-full`;

/** The changes that put the credential provider on a host. Each prefix of them leaves a node that works. Pure. */
export function planInstall(
  findings: HostFindings,
  way: WritableWay,
  { entries, areNamed }: WantedEntries,
  sources: InstallSources,
): InstallPlan {
  const running = findings.kubelet?.paths;
  const paths = running ?? way.paths;
  const areFlagsSet = running !== undefined || way.kind === 'flags-set';
  const names = areFlagsSet ? namesIn(findings) : [];
  const replaced = emulatedProviderNames.filter((name) => names.includes(name));
  const programs = programChanges(paths.binDirectory, entries, sources);
  const links = replaced.map((name): FileChange => ({
    kind: 'link',
    path: `${paths.binDirectory}/${name}`,
    target: fullName,
  }));
  // With the vendor's entries there is nothing to add: they call our program now.
  const config = replaced.length > 0 && !areNamed ? [] : configChanges(findings, paths, entries);
  const flags = areFlagsSet || way.kind !== 'add-flags' ? [] : flagChanges(findings, way.file, paths);
  const texts = [...config, ...flags];
  const broker = sources.agent === undefined ? [] : hostBrokerChanges(paths.binDirectory, sources.agent);
  return {
    changes: [...programs, ...links, ...broker, ...texts],
    isRestartNeeded: texts.some(
      (change) => change.text !== findings.readText(change.path) || isNewer(change, findings),
    ),
    untried: texts.filter((change) => isNewer(change, findings)).map(({ path }) => path),
    ...ignoredFlagsIn(flags, findings),
    paths,
    replaced,
  };
}

/** For a kubelet that runs without flags. */
function ignoredFlagsIn(flags: readonly TextChange[], findings: HostFindings): Pick<InstallPlan, 'ignoredFlags'> {
  const ignored = flags.find((change) => isRead(change, findings));
  return ignored === undefined ? {} : { ignoredFlags: ignored.path };
}

/** Whether the running kubelet started with the file as it should be. */
function isRead(change: TextChange, findings: HostFindings): boolean {
  const { kubelet, readText } = findings;
  return kubelet !== undefined && change.text === readText(change.path) && !isNewer(change, findings);
}

/** Whether the running kubelet has not read the file as it is. */
function isNewer({ path }: TextChange, { kubelet, writtenAtMs }: HostFindings): boolean {
  return kubelet !== undefined && (writtenAtMs(path) ?? 0) > kubelet.startedAtMs;
}

/** The full program first, since the front end needs it beside it. */
function programChanges(
  folder: string,
  entries: readonly NamedEntry[],
  { program, frontEnd }: InstallSources,
): readonly FileChange[] {
  const aliases = entries.map(({ name }) => name).filter((name) => name !== ownName);
  return [
    { kind: 'copy', path: `${folder}/${fullName}`, source: program, mode: 0o755 },
    { kind: 'copy', path: `${folder}/${ownName}`, source: frontEnd, mode: 0o755 },
    ...aliases.map((name): FileChange => ({ kind: 'link', path: `${folder}/${name}`, target: ownName })),
  ];
}

/** The names of the entries that the kubelet has now. */
function namesIn({ configFiles, readText }: HostFindings): readonly string[] {
  return configFiles.flatMap((file) => entryNames(readText(file) ?? ''));
}

type TextChange = Extract<FileChange, { readonly kind: 'text' }>;

/** In a folder we have a file of our own. */
function configChanges(
  { configIsFolder, readText }: HostFindings,
  { config }: KubeletPaths,
  entries: readonly NamedEntry[],
): readonly TextChange[] {
  const path = configIsFolder ? `${config}/polycloud.yaml` : config;
  const before = configIsFolder ? undefined : readText(path);
  const text = mergeConfig(before, entries, path);
  const withoutOurs = removeEntries(text, entries);
  return [{ kind: 'text', path, text, ...(withoutOurs !== undefined && { withoutOurs }), mode: 0o644 }];
}

function flagChanges(
  { readText, flagFilePath }: HostFindings,
  file: FlagFile,
  paths: KubeletPaths,
): readonly TextChange[] {
  const path = flagFilePath(file);
  const before = readText(path) ?? '';
  const set = (flags?: KubeletPaths): string =>
    file.kind === 'lines' ? setFlagLines(before, flags) : setFlagsInVariable(before, { path, name: file.name }, flags);
  return [{ kind: 'text', path, text: set(paths), withoutOurs: set(), mode: 0o644 }];
}
