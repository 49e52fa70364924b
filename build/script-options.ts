import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';

/** What a script says about itself. */
export interface ScriptUsage {
  /** How it is called: `npm run build`. */
  readonly command: string;
  /** Everything below the first line of the usage. */
  readonly text: string;
}

/** The command line of a script. `--help` and wrong usage end the process before the script does anything. */
export function readScriptOptions<const T extends ParseArgsConfig>(
  { command, text }: ScriptUsage,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const args = config.args ?? process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${command} [-- OPTION…]\n\n${text}  --help  print this\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return refuseUsage(command, (error as Error).message);
  }
}

/** Ends the process. */
export function refuseUsage(command: string, reason: string): never {
  process.stderr.write(`${command}: ${reason}\nhint: ${command} -- --help\n`);
  process.exit(2);
}
