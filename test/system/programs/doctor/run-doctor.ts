import type { DoctorReport } from '../../../../credential-provider/doctor/report.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import type { Namespace } from '../../../lab/network/namespace.ts';
import type { RunResult } from '../../../lab/network/run-command.ts';
import { provider } from '../provider.ts';

export interface DoctorRun {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Absent: no kubelet runs. */
  readonly kubelet?: FakeKubelet;
}

/** A process that looks like a kubelet by its name, arguments and environment. */
export interface FakeKubelet {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Diagnosis {
  readonly code: number;
  readonly text: string;
  readonly report: DoctorReport;
}

/** Runs doctor with text and with JSON output, and checks that both are the same, without a secret. */
export async function runDoctor(namespace: Namespace, image: string, options: DoctorRun): Promise<Diagnosis> {
  const jsonRun = await run(namespace, ['doctor', image, ...(options.args ?? []), '--json'], options);
  const { stdout: text, code } = await run(namespace, ['doctor', image, ...(options.args ?? [])], options);
  if (code === null || jsonRun.code !== code) throw new Error(`it ended with ${jsonRun.code} and then with ${code}`);
  const report = JSON.parse(jsonRun.stdout) as DoctorReport;
  const lost = report.checks.find(
    ({ said, remedy = '' }) => !text.includes(stablePart(said)) || !text.includes(remedy),
  );
  if (lost !== undefined) throw new Error(`not told to people: ${lost.said}`);
  return { code, text, report };
}

/** Without the values that differ in each run. */
function stablePart(said: string): string {
  return said.split(/\d/, 1)[0] ?? '';
}

const timeoutMs = 70_000;

async function run(
  namespace: Namespace,
  args: readonly string[],
  { env = {}, kubelet }: DoctorRun,
): Promise<RunResult> {
  const options = { env, input: '', timeoutMs };
  const result =
    kubelet === undefined
      ? await namespace.run(provider, args, options)
      : await namespace.run(
          '/bin/bash',
          ['--norc', '-c', script, kubelet.args.join(' '), words(kubelet.env ?? {}), provider, ...args],
          options,
        );
  if (showsSecret(result.stdout) || showsSecret(result.stderr)) throw new Error('a secret of the lab was printed');
  if (result.stderr !== '' || !result.stdout.endsWith('\n')) {
    throw new Error(`it said: ${result.stderr}${result.stdout}`);
  }
  return result;
}

/**
 * In one shell, because doctor uses only a kubelet that sees the same files as itself. The process stops itself with a
 * signal, so that it does nothing and does not end.
 */
const script = `
args=$0 env=$1; shift
/usr/bin/env -i $env /bin/bash --norc -c 'exec -a kubelet /bin/bash --norc -c "kill -STOP \\$\\$" "$@"' - - $args >/dev/null 2>&1 &
disown $!
until [ "$(tr '\\0' '\\n' < /proc/$!/cmdline | head -n 1)" = kubelet ]; do :; done 2>/dev/null
"$@"
code=$?
kill -KILL $!
exit $code
`;

function words(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
