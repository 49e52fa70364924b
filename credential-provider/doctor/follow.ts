import { defaultConfigFile, loadConfig } from '../../lib/config/load-config.ts';
import { Failure } from '../../lib/failure.ts';
import { printGoDuration } from '../../lib/go-duration.ts';
import type { Host } from '../../lib/host.ts';
import { answerRequest } from '../../lib/image-login/answer-request.ts';
import type { Steps } from '../../lib/image-login/answer-request.ts';
import type { Found } from '../../lib/image-login/find-registry.ts';
import { logIn } from '../../lib/image-login/log-in.ts';
import type { Identity, Login } from '../../lib/image-login/registry.ts';
import { requestVersions } from '../../schemas/credential-provider.ts';
import type { Setting } from '../drop-in/drop-in.ts';
import { inTime } from '../in-time.ts';
import { openContext } from '../open-context.ts';
import { programName } from '../world.ts';
import type { Input, Progress, World } from '../world.ts';
import type { Notebook } from './notebook.ts';

export interface Question {
  readonly image: string;
  readonly token?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly configFile?: string;
  readonly setting?: Setting;
}

export interface Writing {
  readonly notebook: Notebook;
  readonly secrets: string[];
  /** What is noticed by the way. */
  readonly notes: string[];
}

/** From the request to the answer, as ever, with a note of each part. Throws where there is no answer. */
export async function follow(question: Question, world: World, { notebook, secrets, notes }: Writing): Promise<void> {
  const input: Input = {
    ...question,
    request: requestFor(question),
    verbosity: 1,
    startedAtMs: world.clock.monotonicMs(),
  };
  const progress: Progress = { secrets, notes, end: new AbortController(), lastStep: '' };
  try {
    const work = answerRequest(input.request, stepsOf(input, world, progress, notebook));
    const answer = await inTime(work, input.startedAtMs, world, progress);
    if (Object.keys(answer.auth).length === 0) throw nobodys();
    const { cacheDuration, cacheKeyType } = answer;
    const said = `the kubelet keeps it for ${cacheDuration}, for each ${cacheKeyType.toLowerCase()}`;
    notebook.note({ about: 'answer', outcome: 'ok', said });
  } finally {
    progress.end.abort(new Error('examined'));
  }
}

function requestFor({ image, token, annotations }: Question): string {
  const pod = token !== undefined && { serviceAccountToken: token, serviceAccountAnnotations: annotations };
  return JSON.stringify({ apiVersion: requestVersions[0], kind: 'CredentialProviderRequest', image, ...pod });
}

function stepsOf(input: Input, world: World, progress: Progress, notebook: Notebook): Steps {
  const { env, host, clouds, clock } = world;
  const { configFile, setting } = input;
  const writeStep = (line: string): void => notebook.step(line.replace(`${programName}: `, ''));
  return {
    clock,
    ...(setting !== undefined && { manner: setting.manner }),
    keepSecret: (value) => void progress.secrets.push(value),
    openCatalogue: async () => {
      const config = await loadConfig(configFile, host);
      notebook.note({ about: 'configuration', outcome: 'ok', said: await configText(configFile, host) });
      return { clouds, world: { env, host }, config: setting?.adapt(config) ?? config };
    },
    logIn: async (found, as, catalogue) => {
      notebook.note({ about: 'registry', outcome: 'ok', said: registryText(found) });
      notebook.note({ about: 'identity', outcome: 'ok', said: identityText(as, found) });
      const context = await openContext(input, { ...world, writeStep }, catalogue.config, progress);
      const login = await logIn(found, as, catalogue, context);
      notebook.note({ about: 'login', outcome: 'ok', said: loginText(login, clock.wallMs()) });
      return login;
    },
  };
}

async function configText(named: string | undefined, host: Host): Promise<string> {
  if (named !== undefined) return named;
  const isThere = (await host.readText(defaultConfigFile)) !== undefined;
  return isThere ? defaultConfigFile : `none, ${defaultConfigFile} is not there`;
}

function registryText({ cloud, registry, authKey }: Found): string {
  const at = registry.endpoint === undefined ? '' : `, asked at ${registry.endpoint.host}`;
  return `${registry.kind} of ${cloud} for ${authKey}${at}`;
}

function identityText(as: Identity, { node: { federation } }: Found): string {
  if (as.kind === 'token') return "the pod's, by its service account token";
  const which = as.select === undefined ? '' : `, ${as.select}`;
  const proof = federation === undefined ? '' : `, proven by ${federation.from}`;
  return `the node's${which}${proof}${as.role === undefined ? '' : ', taking on a role'}`;
}

function loginText({ username, expiresAtMs }: Login, nowMs: number): string {
  if (expiresAtMs === undefined) return `user ${username}, without an end`;
  const lifeS = Math.max(0, Math.round((expiresAtMs - nowMs) / 1_000));
  return `user ${username}, good for ${printGoDuration(lifeS * 1_000)}`;
}

function nobodys(): Failure {
  return new Failure('misconfigured', 'the host is no registry of a cloud, and the configuration does not name it', {
    remedy: 'check its spelling, or give it an entry below `registries` of the configuration',
  });
}
