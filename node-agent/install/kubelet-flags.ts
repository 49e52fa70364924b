import { binDirectoryFlag, configFlag, flagOf } from '../../lib/kubelet-config/flags.ts';
import { plainValue, setVariable } from './environment-file.ts';
import type { KubeletPaths } from './layouts.ts';

/** The paths in a command line of the kubelet. `undefined`: it has not both flags. */
export function pathsIn(args: readonly string[]): KubeletPaths | undefined {
  const config = flagOf(args, configFlag);
  const binDirectory = flagOf(args, binDirectoryFlag);
  return config === undefined || binDirectory === undefined ? undefined : { config, binDirectory };
}

/** Where a variable is in a file that systemd reads. */
export interface FlagVariable {
  /** Of the file; for messages. */
  readonly path: string;
  readonly name: string;
}

/** Adds the flags to a variable, or replaces their values there; without `paths` it removes them. Pure. */
export function setFlagsInVariable(text: string, { path, name }: FlagVariable, paths?: KubeletPaths): string {
  const before = plainValue(text, name, path)
    .split(/\s+/)
    .filter((arg) => arg !== '');
  return setVariable(text, name, [...withoutFlags(before), ...flagsFor(paths)].join(' '));
}

/** The same in a file with one flag in each line. Pure. */
export function setFlagLines(text: string, paths?: KubeletPaths): string {
  const before = text.split('\n').filter((line) => line !== '');
  return `${[...withoutFlags(before), ...flagsFor(paths)].join('\n')}\n`;
}

function flagsFor(paths: KubeletPaths | undefined): readonly string[] {
  return paths === undefined ? [] : [`${configFlag}=${paths.config}`, `${binDirectoryFlag}=${paths.binDirectory}`];
}

function withoutFlags(args: readonly string[]): readonly string[] {
  return args.filter((arg, index) => {
    const previous = args[index - 1];
    const isValue = previous === configFlag || previous === binDirectoryFlag;
    return !isValue && ![configFlag, binDirectoryFlag].some((flag) => arg === flag || arg.startsWith(`${flag}=`));
  });
}
