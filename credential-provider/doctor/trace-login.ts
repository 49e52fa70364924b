import { defaultConfigFile, loadConfig } from '../../lib/config/load-config.ts';
import { Failure } from '../../lib/failure.ts';
import { printGoDuration } from '../../lib/go-duration.ts';
import type { Host } from '../../lib/host.ts';
import { answerRequest } from '../../lib/registry-login/answer-request.ts';
import type { AnswerDeps } from '../../lib/registry-login/answer-request.ts';
import type { ResolvedRegistry } from '../../lib/registry-login/resolve-registry.ts';
import { logIn } from '../../lib/registry-login/log-in.ts';
import type { Identity, Login } from '../../lib/registry-login/registry.ts';
import { requestVersions } from '../../schemas/credential-provider.ts';
import type { CompatMode } from '../compat/emulated-provider.ts';
import { withDeadline } from '../with-deadline.ts';
import { openContext } from '../open-context.ts';
import { programName } from '../runtime.ts';
import type { Input, Progress, ProviderRuntime } from '../runtime.ts';
import type { CheckList } from './check-list.ts';

export interface LoginTrace {
  readonly image: string;
  readonly token?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly configFile?: string;
  readonly compatMode?: CompatMode;
}

export interface Diagnosis {
  readonly checkList: CheckList;
  readonly secrets: string[];
  /** What is noticed by the way. */
  readonly notes: string[];
}

/** From the request to the answer, as ever, with a note of each part. Throws where there is no answer. */
export async function traceLogin(
  trace: LoginTrace,
  runtime: ProviderRuntime,
  { checkList, secrets, notes }: Diagnosis,
): Promise<void> {
  const input: Input = {
    ...trace,
    request: requestFor(trace),
    verbosity: 1,
    startedAtMs: runtime.clock.monotonicMs(),
  };
  const progress: Progress = { secrets, notes, end: new AbortController(), lastStep: '' };
  try {
    const work = answerRequest(input.request, tracedDepsFor(input, runtime, progress, checkList));
    const response = await withDeadline(work, input.startedAtMs, runtime, progress);
    if (Object.keys(response.auth).length === 0) throw noProvider();
    const { cacheDuration, cacheKeyType } = response;
    const said = `the kubelet keeps it for ${cacheDuration}, for each ${cacheKeyType.toLowerCase()}`;
    checkList.add({ about: 'answer', outcome: 'ok', said });
  } finally {
    progress.end.abort(new Error('examined'));
  }
}

function requestFor({ image, token, annotations }: LoginTrace): string {
  const pod = token !== undefined && { serviceAccountToken: token, serviceAccountAnnotations: annotations };
  return JSON.stringify({ apiVersion: requestVersions[0], kind: 'CredentialProviderRequest', image, ...pod });
}

function tracedDepsFor(input: Input, runtime: ProviderRuntime, progress: Progress, checkList: CheckList): AnswerDeps {
  const { env, host, clouds, clock } = runtime;
  const { configFile, compatMode } = input;
  const writeStep = (line: string): void => checkList.startStep(line.replace(`${programName}: `, ''));
  return {
    clock,
    ...(compatMode !== undefined && { behavior: compatMode.behavior }),
    registerSecret: (value) => void progress.secrets.push(value),
    configureClouds: async () => {
      const config = await loadConfig(configFile, host);
      checkList.add({ about: 'configuration', outcome: 'ok', said: await configText(configFile, host) });
      return { clouds, runtime: { env, host }, config: compatMode?.overrideConfig(config) ?? config };
    },
    logIn: async (resolved, identity, configuredClouds) => {
      checkList.add({ about: 'registry', outcome: 'ok', said: registryText(resolved) });
      checkList.add({ about: 'identity', outcome: 'ok', said: identityText(identity, resolved) });
      const context = await openContext(input, { ...runtime, writeStep }, configuredClouds.config, progress);
      const login = await logIn(resolved, identity, configuredClouds, context);
      checkList.add({ about: 'login', outcome: 'ok', said: loginText(login, clock.wallMs()) });
      return login;
    },
  };
}

async function configText(configFile: string | undefined, host: Host): Promise<string> {
  if (configFile !== undefined) return configFile;
  const isThere = (await host.readText(defaultConfigFile)) !== undefined;
  return isThere ? defaultConfigFile : `none, ${defaultConfigFile} is not there`;
}

function registryText({ cloud, registry, authKey }: ResolvedRegistry): string {
  const at = registry.endpoint === undefined ? '' : `, asked at ${registry.endpoint.host}`;
  return `${registry.kind} of ${cloud} for ${authKey}${at}`;
}

function identityText(identity: Identity, { node: { federation } }: ResolvedRegistry): string {
  if (identity.kind === 'token') return "the pod's, by its service account token";
  const which = identity.select === undefined ? '' : `, ${identity.select}`;
  const proof = federation === undefined ? '' : `, proven by ${federation.from}`;
  return `the node's${which}${proof}${identity.role === undefined ? '' : ', taking on a role'}`;
}

function loginText({ username, expiresAtMs }: Login, nowMs: number): string {
  if (expiresAtMs === undefined) return `user ${username}, without an end`;
  const lifeS = Math.max(0, Math.round((expiresAtMs - nowMs) / 1_000));
  return `user ${username}, good for ${printGoDuration(lifeS * 1_000)}`;
}

function noProvider(): Failure {
  return new Failure('misconfigured', 'the host is no registry of a cloud, and the configuration does not name it', {
    remedy: 'check its spelling, or give it an entry below `registries` of the configuration',
  });
}
