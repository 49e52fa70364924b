import { binDirectoryFlag, configFlag, flagOf } from '../../lib/kubelet-config/flags.ts';
import { parseEnvironmentFile, setVariable } from './environment-file.ts';
import type { KubeletPaths } from './layouts.ts';

/** The paths in a command line of the kubelet. `undefined`: it has not both flags. */
export function pathsIn(args: readonly string[]): KubeletPaths | undefined {
  const config = flagOf(args, configFlag);
  const binDirectory = flagOf(args, binDirectoryFlag);
  return config === undefined || binDirectory === undefined ? undefined : { config, binDirectory };
}

/** Adds the flags to a variable of a file that systemd reads, or replaces their values there. Pure. */
export function addFlagsToVariable(text: string, name: string, paths: KubeletPaths): string {
  const before = (parseEnvironmentFile(text)[name] ?? '').split(/\s+/).filter((arg) => arg !== '');
  return setVariable(text, name, [...withoutFlags(before), ...flagsFor(paths)].join(' '));
}

/** Adds the flags to a file with one flag in each line, or replaces them there. Pure. */
export function addFlagLines(text: string, paths: KubeletPaths): string {
  const before = text.split('\n').filter((line) => line !== '');
  return `${[...withoutFlags(before), ...flagsFor(paths)].join('\n')}\n`;
}

function flagsFor({ config, binDirectory }: KubeletPaths): readonly string[] {
  return [`${configFlag}=${config}`, `${binDirectoryFlag}=${binDirectory}`];
}

function withoutFlags(args: readonly string[]): readonly string[] {
  return args.filter((arg, index) => {
    const previous = args[index - 1];
    const isValue = previous === configFlag || previous === binDirectoryFlag;
    return !isValue && ![configFlag, binDirectoryFlag].some((flag) => arg === flag || arg.startsWith(`${flag}=`));
  });
}
