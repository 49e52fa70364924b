import type { Identity } from '../clouds/index.ts';
import { Failure } from '../lib/failure.ts';
import { parseImageReference } from '../lib/image-reference.ts';
import type { CredentialProviderResponse } from '../schemas/credential-provider.ts';
import { failureLine, noteLine } from './failure-line.ts';
import { findRegistry } from './find-registry.ts';
import type { Found } from './find-registry.ts';
import { loadConfig } from '../lib/config/load-config.ts';
import { openContext } from './open-context.ts';
import { parseRequest } from './parse-request.ts';
import type { Request } from './parse-request.ts';
import { answerNobodys, answerWith } from './response.ts';
import { longestAnswerMs, programName } from './world.ts';
import type { Input, Progress, World } from './world.ts';

export interface Output {
  /** One JSON object, or nothing. */
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: 0 | 1;
}

/** A request in, an answer or one clear line out. Never throws. */
export async function run(input: Input, world: World): Promise<Output> {
  const secrets: string[] = [];
  const notes: string[] = [];
  const end = new AbortController();
  const progress: Progress = { secrets, notes, end, lastStep: '' };
  try {
    const answer = await inTime(input, world, progress);
    return { stdout: `${JSON.stringify(answer)}\n`, stderr: lines(noteLines(notes, secrets)), exitCode: 0 };
  } catch (error) {
    const said = [failureLine(programName, error, secrets), ...noteLines(notes, secrets)].slice(0, 2);
    return { stdout: '', stderr: lines(said), exitCode: 1 };
  } finally {
    end.abort(new Error('answered'));
  }
}

async function inTime(input: Input, world: World, progress: Progress): Promise<CredentialProviderResponse> {
  const leftMs = input.startedAtMs + longestAnswerMs - world.clock.monotonicMs();
  const late = world.clock.sleep(leftMs, progress.end.signal).then(() => {
    throw new Failure('unavailable', `no answer within ${longestAnswerMs / 1000} s, last: ${progress.lastStep}`, {
      remedy: 'check what that step waits for',
    });
  });
  return Promise.race([answerRequest(input, world, progress), late]);
}

async function answerRequest(input: Input, world: World, progress: Progress): Promise<CredentialProviderResponse> {
  const request = parseRequest(input.request);
  if (request.token !== undefined) progress.secrets.push(request.token.reveal());
  const image = parseImageReference(request.image);
  if (image === undefined) return answerNobodys(request.apiVersion);
  const config = await loadConfig(input.configFile, world.host);
  const { env, host, clouds } = world;
  const found = await findRegistry(image, { clouds, world: { env, host }, config });
  if (found === undefined) return answerNobodys(request.apiVersion);
  const context = await openContext(input, world, config, progress);
  const login = await found.service.logIn(found.registry, identityOf(request, found), context);
  progress.secrets.push(login.password.reveal());
  return answerWith(request.apiVersion, found, login, world.clock.wallMs());
}

/** A pod identity is used exactly when the kubelet sends a token. */
function identityOf({ token, annotations }: Request, { select }: Found): Identity {
  if (token !== undefined) return { kind: 'token', token, role: annotations };
  return { kind: 'node', ...(select !== undefined && { select }) };
}

function noteLines(notes: readonly string[], secrets: readonly string[]): readonly string[] {
  return notes.slice(0, 1).map((note) => noteLine(programName, note, secrets));
}

function lines(said: readonly string[]): string {
  return said.map((line) => `${line}\n`).join('');
}
