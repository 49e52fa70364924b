import { parseArgs } from 'node:util';
import { quote } from '../../lib/command-line/command-line.ts';
import { Failure } from '../../lib/failure.ts';
import type { EmulatedProvider, ParsedArgs } from './emulated-provider.ts';

/** The log flags of Kubernetes programs. They are accepted, and all except `v` are ignored. */
const logValues = [
  'v',
  'vmodule',
  'log-file',
  'log-dir',
  'log-file-max-size',
  'log-flush-frequency',
  'logging-format',
  'stderrthreshold',
  'log-backtrace-at',
  'log-json-info-buffer-size',
  'log-text-info-buffer-size',
];
const logSwitches = [
  'logtostderr',
  'alsologtostderr',
  'add-dir-header',
  'skip-headers',
  'skip-log-headers',
  'one-output',
  'log-json-split-stream',
  'log-text-split-stream',
];

export interface CompatArguments extends ParsedArgs {
  readonly action: 'run' | 'version' | 'help';
  readonly verbosity: number;
}

/** As Go's flags: `--flag value`, `--flag=value`, `-f value`, `-f=value`. */
export function readArguments(provider: EmulatedProvider, args: readonly string[]): CompatArguments {
  const { values, positionals } = parse(provider, args);
  const flags = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value.replace(/^=/, '')] as const] : [],
    ),
  );
  const action = (['version', 'help'] as const).find((name) => values[name] === true) ?? 'run';
  return { positionals, flags, action, verbosity: Number(/^\d{1,2}$/.exec(flags['v'] ?? '')?.[0] ?? 0) };
}

interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
}

interface Parsed {
  readonly values: Readonly<Record<string, unknown>>;
  readonly positionals: readonly string[];
}

function parse({ name, valueFlags, shortFlags }: EmulatedProvider, args: readonly string[]): Parsed {
  const shorts = new Map(Object.entries({ ...shortFlags, v: 'v', help: 'h' }));
  const optionsOf = (flags: readonly string[], type: Option['type']): ReadonlyArray<[string, Option]> =>
    flags.map((flag) => [flag, { type, ...shortOf(shorts, flag) }]);
  const text = optionsOf([...valueFlags, ...logValues], 'string');
  const switches = optionsOf(['version', 'help', ...logSwitches], 'boolean');
  const config = {
    args: args.map((arg) => withHyphens(arg)).flatMap((arg) => asSwitch(arg)),
    options: Object.fromEntries([...text, ...switches]),
    allowPositionals: true,
  };
  try {
    return parseArgs(config);
  } catch {
    throw new Failure('misconfigured', mistakeIn(config, name), {
      remedy: `${name} --help lists the supported flags; other settings belong into /etc/polycloud/config.yaml`,
    });
  }
}

interface ParseConfig {
  readonly args: string[];
  readonly options: Record<string, Option>;
  readonly allowPositionals: boolean;
}

/** Names the first invalid argument, but never its value, which may be a secret. */
function mistakeIn(config: ParseConfig, program: string): string {
  const { tokens } = parseArgs({ ...config, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const type = Object.hasOwn(config.options, token.name) ? config.options[token.name]?.type : undefined;
    if (type === undefined) return `called with ${quote(token.rawName)}, which ${program} does not have`;
    const hasValue = token.value !== undefined;
    if (type === 'string' && !hasValue) return `called with ${token.rawName} without a value`;
    if (type === 'boolean' && hasValue) return `called with ${token.rawName} and an invalid value`;
  }
  return `called with an argument that ${program} does not have`;
}

function shortOf(shorts: ReadonlyMap<string, string>, flag: string): { readonly short?: string } {
  const short = shorts.get(flag);
  return short === undefined ? {} : { short };
}

/** Some Kubernetes programs have `--log_dir`, others `--log-dir`. */
function withHyphens(arg: string): string {
  return arg.replace(/^--[\w-]+/, (flag) => flag.replaceAll('_', '-'));
}

const switchWithText = new RegExp(`^(?<flag>--(?:${logSwitches.join('|')}))=(?<text>.*)$`);
const trueTexts = ['1', 't', 'T', 'true', 'True', 'TRUE'];
const falseTexts = ['0', 'f', 'F', 'false', 'False', 'FALSE'];

/** `--switch=true` is the switch, `--switch=false` is nothing. */
function asSwitch(arg: string): readonly string[] {
  const { flag, text = '' } = switchWithText.exec(arg)?.groups ?? {};
  if (flag === undefined || !(trueTexts.includes(text) || falseTexts.includes(text))) return [arg];
  return trueTexts.includes(text) ? [flag] : [];
}
