export const configFlag = '--image-credential-provider-config';
export const binDirectoryFlag = '--image-credential-provider-bin-dir';

/** `--flag=value` or `--flag value`; the last one counts, as for the kubelet. */
export function flagOf(args: readonly string[], flag: string): string | undefined {
  const at = args.findLastIndex((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const arg = args[at];
  return arg === flag ? args[at + 1] : arg?.slice(flag.length + 1);
}
