import { provider } from '../../system/programs/provider.ts';
import { runCommand } from '../../lab/network/run-command.ts';
import type { GeneratedCase } from './generated-case.ts';
import type { CaseOutcome } from './outcome.ts';
import type { CaseFixture } from './fixture.ts';

/** Longer than the kubelet waits. */
const timeoutMs = 70_000;

/** Plays a case by the executable, over its standard input and output. */
export async function runExecutableCase(
  generated: GeneratedCase,
  { servers, proxy }: CaseFixture,
): Promise<CaseOutcome> {
  const { configFile, verbosity, env, request } = generated;
  const args = [
    ...(configFile === undefined ? [] : ['--config', configFile]),
    ...(verbosity > 0 ? ['-v', String(verbosity)] : []),
  ];
  servers.setScript(generated.script);
  proxy.setCase(generated);
  const input = request.bytes.toString('utf8');
  const { stdout, stderr, code, signal, durationMs } = await runCommand(provider, args, { env, input, timeoutMs });
  const requests = [...servers.requests];
  return {
    stdout,
    stderr,
    exitCode: code,
    errors: signal === null ? [] : [`ended by ${signal}`],
    requests,
    unexpectedRequests: [
      ...proxy.unexpectedRequests,
      ...requests.filter(({ service }) => service === 'stranger').map(({ method, path }) => `${method} ${path}`),
    ],
    durationMs,
  };
}
