import { setImmediate } from 'node:timers/promises';
import type { run as runFunction } from '../../../credential-provider/run.ts';
import type { World } from '../../../credential-provider/world.ts';
import { longestAnswerMs } from '../../../credential-provider/world.ts';
import { realHost } from '../../../lib/host.ts';
import { createHttp } from '../../../lib/http/create-http.ts';
import { createAutoClock } from '../../clocks/auto-clock.ts';
import type { GeneratedCase } from './cases.ts';
import { guardHttp } from './guarded-http.ts';
import type { Outcome } from './outcome.ts';
import type { Place } from './place.ts';

/** What is tested; the proof that the checks see faults puts broken ones here. */
export interface Subject {
  readonly run: typeof runFunction;
  readonly clouds: World['clouds'];
  /** In real time. */
  readonly boundMs: number;
}

/** Read when nobody names another; whoever runs the tests may have one. */
const defaultConfigFile = '/etc/polycloud/config.yaml';

/** Plays a case by the function that the executable calls. */
export async function playFunction(generated: GeneratedCase, place: Place, subject: Subject): Promise<Outcome> {
  const { servers, directory } = place;
  const clock = createAutoClock(generated.wallAtStartMs);
  const strangers: string[] = [];
  const steps: string[] = [];
  const guard = { generated, servers, clock, strangers };
  const { readText } = realHost;
  const world: World = {
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
  servers.play(generated.script);
  const mishaps = watchProcess();
  const startedAtMs = performance.now();
  const output = await inTime(() => subject.run(input, world), subject.boundMs).catch((error: unknown) => error);
  const late = clock.monotonicMs() > longestAnswerMs + lateMs ? ['answered later than it may'] : [];
  const durationMs = performance.now() - startedAtMs;
  const crashes = output instanceof Error ? [`${output.name}: ${output.message}`] : [];
  const { stdout, stderr, exitCode } = isOutput(output) ? output : { stdout: '', stderr: '', exitCode: null };
  const asked = [...servers.asked];
  return {
    stdout,
    stderr: steps.join('') + stderr,
    exitCode,
    asked,
    strangers,
    durationMs,
    mishaps: [...crashes, ...late, ...(await mishaps.end())],
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
