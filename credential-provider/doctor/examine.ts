import type { World } from '../world.ts';
import { programName } from '../world.ts';
import { loadConfig } from '../../lib/config/load-config.ts';
import { Failure } from '../../lib/failure.ts';
import { printGoDuration } from '../../lib/go-duration.ts';
import { answerRequest } from '../../lib/image-login/answer-request.ts';
import { clean } from '../../lib/image-login/failure-line.ts';
import { logIn } from '../../lib/image-login/log-in.ts';
import type { Login } from '../../lib/image-login/registry.ts';
import { requestVersions } from '../../schemas/credential-provider.ts';
import { openContext } from '../open-context.ts';
import { askKubelet } from './entry.ts';
import { flagOf } from './kubelet.ts';
import type { Kubelet } from './kubelet.ts';
import { createNotebook } from './notebook.ts';
import type { Notebook } from './notebook.ts';
import type { Report } from './report.ts';

export interface Patient {
  readonly image: string;
  readonly kubelet: Kubelet | undefined;
  readonly configFile: string | undefined;
  /** A pod's token, to be asked as that pod. */
  readonly token?: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The very flow of a request, each part of it noted with what it took. Never throws. */
export async function examine(patient: Patient, world: World): Promise<Report> {
  const secrets: string[] = patient.token === undefined ? [] : [patient.token];
  const notebook = createNotebook(world.clock, (text) => clean(text, secrets));
  const asked = patient.kubelet && askKubelet(patient.kubelet, patient.image, patient.token !== undefined);
  if (asked === undefined) {
    notebook.note({
      about: 'kubelet',
      outcome: 'unknown',
      said: 'none was found on this machine; this is asked with our own environment',
    });
  } else {
    notebook.note(asked.check);
  }
  const kubeletsOwn = asked?.call?.env ?? world.env;
  const configFile = patient.configFile ?? flagOf(asked?.call?.args ?? [], '--config');
  try {
    await follow({ ...patient, configFile }, { ...world, env: kubeletsOwn }, { notebook, secrets });
  } catch (error) {
    notebook.fail(error);
  }
  const checks = notebook.checks();
  return { image: patient.image, ok: checks.every(({ outcome }) => outcome !== 'failed'), checks };
}

interface Writing {
  readonly notebook: Notebook;
  readonly secrets: string[];
}

async function follow(patient: Patient, world: World, { notebook, secrets }: Writing): Promise<void> {
  const { env, host, clouds, clock } = world;
  const end = new AbortController();
  const input = { request: requestFor(patient), verbosity: 1, startedAtMs: clock.monotonicMs() };
  const progress = { secrets, notes: [], end, lastStep: '' };
  const answer = await answerRequest(input.request, {
    clock,
    keepSecret: (value) => void secrets.push(value),
    openCatalogue: async () => {
      const config = await loadConfig(patient.configFile, host);
      notebook.note({
        about: 'configuration',
        outcome: 'ok',
        said: patient.configFile ?? 'the default file, if it is there',
      });
      return { clouds, world: { env, host }, config };
    },
    logIn: async (found, as, catalogue) => {
      const { cloud, registry, authKey } = found;
      const at = registry.endpoint === undefined ? '' : `, asked at ${registry.endpoint.host}`;
      notebook.note({ about: 'registry', outcome: 'ok', said: `${registry.kind} of ${cloud} for ${authKey}${at}` });
      notebook.note({ about: 'identity', outcome: 'ok', said: identityText(as) });
      const context = await openContext(
        input,
        { ...world, writeStep: (line) => notebook.step(line.replace(`${programName}: `, '')) },
        catalogue.config,
        progress,
      );
      const login = await logIn(found, as, catalogue, context);
      notebook.note({ about: 'login', outcome: 'ok', said: loginText(login, clock.wallMs()) });
      return login;
    },
  }).finally(() => end.abort(new Error('examined')));
  if (Object.keys(answer.auth).length === 0) throw nobodys();
  notebook.note({
    about: 'answer',
    outcome: 'ok',
    said: `the kubelet keeps it for ${answer.cacheDuration}, for each ${answer.cacheKeyType.toLowerCase()}`,
  });
}

function requestFor({ image, token, annotations }: Patient): string {
  const pod = token !== undefined && { serviceAccountToken: token, serviceAccountAnnotations: annotations };
  return JSON.stringify({ apiVersion: requestVersions[0], kind: 'CredentialProviderRequest', image, ...pod });
}

function identityText(as: Parameters<typeof logIn>[1]): string {
  if (as.kind === 'token') return "the pod's, by its service account token";
  const which = as.select === undefined ? '' : `, ${as.select}`;
  return `the node's${which}${as.role === undefined ? '' : ', taking on a role'}`;
}

function loginText({ username, expiresAtMs }: Login, nowMs: number): string {
  const until =
    expiresAtMs === undefined
      ? 'without an end'
      : `good for ${printGoDuration(Math.max(0, Math.round((expiresAtMs - nowMs) / 1000) * 1000))}`;
  return `user ${username}, ${until}`;
}

function nobodys(): Failure {
  return new Failure('misconfigured', 'the host is no registry of a cloud, and the configuration does not name it', {
    remedy: 'check its spelling, or give it an entry below `registries` of the configuration',
  });
}
