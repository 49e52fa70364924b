import { parseImageReference } from '../../lib/image-reference.ts';
import { createRedactor } from '../../lib/registry-login/redactor.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Environment } from '../../lib/environment.ts';
import { readArguments } from '../compat/arguments.ts';
import { defaultConfig } from '../../schemas/config/defaults.ts';
import type { CompatMode } from '../compat/emulated-provider.ts';
import { findEmulatedProvider } from '../compat/find-emulated.ts';
import { loadHints } from '../kubelet-config/entries.ts';
import type { ProviderRuntime } from '../runtime.ts';
import { selectEntry } from './select-entry.ts';
import type { EntrySelection, KubeletCall } from './select-entry.ts';
import { traceLogin } from './trace-login.ts';
import type { Diagnosis } from './trace-login.ts';
import { flagOf } from './kubelet.ts';
import type { Kubelet } from './kubelet.ts';
import { createCheckList } from './check-list.ts';
import type { DoctorFinding, DoctorReport } from './report.ts';

export interface DoctorRequest {
  readonly image: string;
  readonly kubelet: Kubelet | undefined;
  readonly configFile: string | undefined;
  /** The token of a pod, to log in as that pod. */
  readonly token?: Secret;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Runs the login flow of a request, and reports each part with its time. Never throws. */
export async function diagnose(request: DoctorRequest, runtime: ProviderRuntime): Promise<DoctorReport> {
  const redactor = createRedactor();
  redactor.hide(request.token);
  const notes: string[] = [];
  const checkList = createCheckList(runtime.clock, redactor.redact);
  const image = kubeletImageName(request.image);
  try {
    await runChecks({ checkList, redactor, notes }, { ...request, image }, runtime);
  } catch (error) {
    checkList.fail(error);
  }
  for (const said of notes) checkList.add({ about: 'node', outcome: 'warning', said });
  const checks = checkList.checks();
  return { image, ok: checks.every(({ outcome }) => outcome !== 'failed'), checks };
}

async function runChecks(diagnosis: Diagnosis, request: DoctorRequest, runtime: ProviderRuntime): Promise<void> {
  const { image, token, annotations, configFile, kubelet } = request;
  const pod = token === undefined ? {} : { token, annotations };
  const selection: EntrySelection =
    kubelet === undefined
      ? { findings: [noKubelet] }
      : selectEntry(kubelet, { ...pod, image }, await loadHints(runtime.clouds, runtime, defaultConfig));
  for (const finding of selection.findings) diagnosis.checkList.add(finding);
  const invocation: Invocation = selection.call
    ? await resolveInvocation(selection.call, runtime)
    : { env: kubelet?.env ?? runtime.env };
  const trace = { ...pod, ...(selection.call && { annotations: selection.call.annotations }), ...invocation, image };
  const givenConfig = configFile !== undefined && { configFile };
  await traceLogin({ ...trace, ...givenConfig }, { ...runtime, ...viewOf(invocation, runtime) }, diagnosis);
}

/** How the kubelet starts us. */
interface Invocation {
  readonly env: Environment;
  readonly configFile?: string;
  /** Present: under the name of an emulated provider. */
  readonly compatMode?: CompatMode;
}

async function resolveInvocation(
  { name, args, env }: KubeletCall,
  { host, openHttp }: Pick<ProviderRuntime, 'host' | 'openHttp'>,
): Promise<Invocation> {
  const provider = await findEmulatedProvider(name)?.();
  if (provider === undefined) {
    const configFile = flagOf(args, '--config');
    return { env, ...(configFile !== undefined && { configFile }) };
  }
  const compatMode = await provider.createMode(readArguments(provider, args), { env, host, openHttp });
  return { env: compatMode.env, compatMode };
}

/** The environment and the host as an emulated provider has them. */
function viewOf({ env, compatMode }: Invocation, { host }: ProviderRuntime): Pick<ProviderRuntime, 'env' | 'host'> {
  return { env, host: compatMode?.host ?? host };
}

const noKubelet: DoctorFinding = {
  about: 'kubelet',
  outcome: 'unknown',
  said: 'none was found on this machine, so the login uses the environment of this command',
};

/** As in the kubelet's request: without tag and digest, and with the full name of images on Docker Hub. */
function kubeletImageName(text: string): string {
  const image = parseImageReference(text);
  if (image === undefined) return text;
  const { registry, repository } = image;
  const isOfficial = registry === 'docker.io' && !repository.includes('/');
  return `${registry}/${isOfficial ? 'library/' : ''}${repository.replace(/^docker\.io\//, '')}`;
}
