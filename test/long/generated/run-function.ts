import { setImmediate } from 'node:timers/promises';
import type { run as runFunction } from '../../../credential-provider/run.ts';
import type { ProviderRuntime } from '../../../credential-provider/runtime.ts';
import { requestTimeoutMs } from '../../../credential-provider/runtime.ts';
import { realHost } from '../../../lib/host.ts';
import { createHttp } from '../../../lib/http/create-http.ts';
import { createAutoClock } from '../../clocks/auto-clock.ts';
import type { GeneratedCase } from './generated-case.ts';
import { guardHttp } from './guarded-http.ts';
import type { CaseOutcome } from './outcome.ts';
import type { CaseFixture } from './fixture.ts';

/** What is tested; the proof that the checks see faults puts broken ones here. */
export interface TestedProvider {
  readonly run: typeof runFunction;
  readonly clouds: ProviderRuntime['clouds'];
  /** In real time. */
  readonly boundMs: number;
}

/** The default file. The machine of the tests may have one. */
const defaultConfigFile = '/etc/polycloud/config.yaml';

/** Plays a case by the function that the executable calls. */
export async function runFunctionCase(
  generated: GeneratedCase,
  fixture: CaseFixture,
  subject: TestedProvider,
): Promise<CaseOutcome> {
  const { servers, directory } = fixture;
  const clock = createAutoClock(generated.wallAtStartMs);
  const unexpectedRequests: string[] = [];
  const steps: string[] = [];
  const guard = { generated, servers, clock, unexpectedRequests };
  const { readText } = realHost;
  const world: ProviderRuntime = {
    env: generated.env,
    host: {
      ...realHost,
      homeDirectory: directory,
      readText: async (path) => (path === defaultConfigFile ? undefined : readText(path)),
    },
    clock,
    random: Math.random,
    clouds: subject.clouds,
    openHttp: (settings) => guardHttp(createHttp(settings), guard),
    writeStep: (line) => void steps.push(`${line}\n`),
  };
  const { configFile, verbosity, request } = generated;
  const input = {
    request: request.bytes.toString('utf8'),
    verbosity,
    startedAtMs: 0,
    ...(configFile !== undefined && { configFile }),
  };
  servers.setScript(generated.script);
  const processErrors = watchProcess();
  const startedAtMs = performance.now();
  const output = await inTime(() => subject.run(input, world), subject.boundMs).catch((error: unknown) => error);
  const late = clock.monotonicMs() > requestTimeoutMs + lateMs ? ['answered later than it may'] : [];
  const durationMs = performance.now() - startedAtMs;
  const crashes = output instanceof Error ? [`${output.name}: ${output.message}`] : [];
  const { stdout, stderr, exitCode } = isOutput(output) ? output : { stdout: '', stderr: '', exitCode: null };
  const requests = [...servers.requests];
  return {
    stdout,
    stderr: steps.join('') + stderr,
    exitCode,
    requests,
    unexpectedRequests,
    durationMs,
    errors: [...crashes, ...late, ...(await processErrors.end())],
  };
}

/** A leap can go a whole limit too far, as a real wait cannot. */
const lateMs = 10_000;

type Output = Awaited<ReturnType<typeof runFunction>>;

function isOutput(value: unknown): value is Output {
  return typeof value === 'object' && value !== null && 'exitCode' in value;
}

async function inTime<T>(work: () => Promise<T>, boundMs: number): Promise<T> {
  const { promise: bound, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no end within ${boundMs} ms`)), boundMs);
  try {
    return await Promise.race([work(), bound]);
  } finally {
    clearTimeout(timer);
  }
}

interface ProcessWatch {
  end(): Promise<readonly string[]>;
}

/** Rejections are reported after everything that could still be waited for had its turn. */
function watchProcess(): ProcessWatch {
  const seen: string[] = [];
  const note = (error: unknown): void => void seen.push(`nobody expected: ${String(error)}`);
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
  process.on('warning', note);
  return {
    end: async () => {
      await setImmediate();
      process.off('unhandledRejection', note);
      process.off('uncaughtException', note);
      process.off('warning', note);
      return seen;
    },
  };
}
