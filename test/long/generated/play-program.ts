import { provider } from '../../system/programs/provider.ts';
import { runCommand } from '../../lab/network/run-command.ts';
import type { GeneratedCase } from './cases.ts';
import type { Outcome } from './outcome.ts';
import type { Place } from './place.ts';

/** Longer than the kubelet waits. */
const timeoutMs = 70_000;

/** Plays a case by the executable, over its standard input and output. */
export async function playProgram(generated: GeneratedCase, { servers, gate }: Place): Promise<Outcome> {
  const { configFile, verbosity, env, request } = generated;
  const args = [
    ...(configFile === undefined ? [] : ['--config', configFile]),
    ...(verbosity > 0 ? ['-v', String(verbosity)] : []),
  ];
  servers.play(generated.script);
  gate.play(generated);
  const input = request.bytes.toString('utf8');
  const { stdout, stderr, code, signal, durationMs } = await runCommand(provider, args, { env, input, timeoutMs });
  const asked = [...servers.asked];
  return {
    stdout,
    stderr,
    exitCode: code,
    mishaps: signal === null ? [] : [`ended by ${signal}`],
    asked,
    strangers: [
      ...gate.strangers,
      ...asked.filter(({ service }) => service === 'stranger').map(({ method, path }) => `${method} ${path}`),
    ],
    durationMs,
  };
}
