import { defaultConfigFile } from '../../lib/config/load-config.ts';
import { printGoDuration } from '../../lib/go-duration.ts';
import type { Host } from '../../lib/host.ts';
import type { AnswerDeps } from '../../lib/registry-login/answer-request.ts';
import type { Redactor } from '../../lib/registry-login/redactor.ts';
import type { Identity, Login } from '../../clouds/index.ts';
import type { ResolvedRegistry } from '../../lib/registry-login/resolve-registry.ts';
import type { Secret } from '../../lib/secret.ts';
import { requestVersions } from '../../schemas/credential-provider.ts';
import { answerDepsFor } from '../answer-deps.ts';
import { answerInTime } from '../answer-in-time.ts';
import type { CompatMode } from '../compat/emulated-provider.ts';
import { programName } from '../runtime.ts';
import type { Input, Progress, ProviderRuntime } from '../runtime.ts';
import type { CheckList } from './check-list.ts';

export interface LoginTrace {
  readonly image: string;
  readonly token?: Secret;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly configFile?: string;
  readonly compatMode?: CompatMode;
}

export interface Diagnosis {
  readonly checkList: CheckList;
  readonly redactor: Redactor;
  readonly notes: string[];
}

/**
 * Answers a request as always, and reports each part of it. `false`: no registry of a cloud or of the configuration has
 * the image. Throws when there is no login.
 */
export async function traceLogin(trace: LoginTrace, runtime: ProviderRuntime, diagnosis: Diagnosis): Promise<boolean> {
  const { checkList, redactor, notes } = diagnosis;
  const input: Input = {
    ...trace,
    request: requestFor(trace),
    verbosity: 1,
    startedAtMs: runtime.clock.monotonicMs(),
  };
  const progress: Progress = { redactor, notes, end: new AbortController(), lastStep: '' };
  const writeStep = (line: string): void => checkList.startStep(line.replace(`${programName}: `, ''));
  const deps = answerDepsFor(input, { ...runtime, writeStep }, progress);
  const response = await answerInTime(input, withChecks(deps, input, checkList), progress);
  if (Object.keys(response.auth).length === 0) return false;
  const { cacheDuration, cacheKeyType } = response;
  const said = `the kubelet keeps it for ${cacheDuration}, for each ${cacheKeyType.toLowerCase()}`;
  checkList.add({ about: 'answer', code: 'answer', outcome: 'ok', said });
  return true;
}

/** The kubelet's request. */
export function requestFor({ image, token, annotations }: Pick<LoginTrace, 'image' | 'token' | 'annotations'>): string {
  const pod = token !== undefined && { serviceAccountToken: token.reveal(), serviceAccountAnnotations: annotations };
  return JSON.stringify({ apiVersion: requestVersions[0], kind: 'CredentialProviderRequest', image, ...pod });
}

/** The same, with a check for what the configuration, the registry, the identity and the login are. */
function withChecks(deps: AnswerDeps, { configFile }: Input, checkList: CheckList): AnswerDeps {
  const { logins, clock, runtime } = deps;
  return {
    ...deps,
    readConfig: async () => {
      const config = await deps.readConfig();
      checkList.add({
        about: 'configuration',
        code: 'configuration',
        outcome: 'ok',
        said: await configText(configFile, runtime.host),
      });
      return config;
    },
    logins: {
      get: async (registry, identity, config) => {
        checkList.add({ about: 'registry', code: 'registry', outcome: 'ok', said: registryText(registry) });
        checkList.add({ about: 'identity', code: 'identity', outcome: 'ok', said: identityText(identity, registry) });
        const login = await logins.get(registry, identity, config);
        checkList.add({ about: 'login', code: 'login', outcome: 'ok', said: loginText(login, clock.wallMs()) });
        return login;
      },
    },
  };
}

async function configText(configFile: string | undefined, host: Pick<Host, 'readText'>): Promise<string> {
  if (configFile !== undefined) return configFile;
  const exists = (await host.readText(defaultConfigFile)) !== undefined;
  return exists ? defaultConfigFile : `none, ${defaultConfigFile} does not exist`;
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
  if (expiresAtMs === undefined) return `user ${username}, without a known expiry`;
  const lifeS = Math.max(0, Math.round((expiresAtMs - nowMs) / 1_000));
  return `user ${username}, valid for ${printGoDuration(lifeS * 1_000)}`;
}
