import { Failure } from '../../lib/failure.ts';
import { parseImageReference } from '../../lib/image-reference.ts';
import { createRedactor } from '../../lib/registry-login/redactor.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Environment } from '../../lib/environment.ts';
import { readArguments } from '../compat/arguments.ts';
import { defaultConfig } from '../../schemas/config/defaults.ts';
import type { CompatMode } from '../compat/emulated-provider.ts';
import { findEmulatedProvider } from '../compat/find-emulated.ts';
import { loadHints } from '../../lib/kubelet-config/entries.ts';
import type { ProviderRuntime } from '../runtime.ts';
import { selectEntry } from './select-entry.ts';
import type { EntrySelection, KubeletCall } from './select-entry.ts';
import { requestFor, traceLogin } from './trace-login.ts';
import type { Diagnosis } from './trace-login.ts';
import { flagOf } from '../../lib/kubelet-config/flags.ts';
import type { Kubelet } from './kubelet.ts';
import { brokerFinding } from './broker.ts';
import { checkImage, publicHostOf } from './check-image.ts';
import { createCheckList } from './check-list.ts';
import type { CheckList } from './check-list.ts';
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
  let isNeeded = true;
  try {
    isNeeded = await runChecks({ checkList, redactor, notes }, { ...request, image }, runtime);
  } catch (error) {
    checkList.fail(error);
  }
  for (const said of notes) checkList.add({ about: 'node', code: 'node', outcome: 'warning', said });
  const checks = checkList.checks();
  const ok = checks.every(({ outcome }) => outcome !== 'failed');
  return { image, ok, result: resultOf(ok, isNeeded), checks };
}

function resultOf(ok: boolean, isNeeded: boolean): DoctorReport['result'] {
  if (!ok) return 'no-login';
  return isNeeded ? 'login' : 'no-login-needed';
}

/** `false`: the image needs no login. */
async function runChecks(diagnosis: Diagnosis, request: DoctorRequest, runtime: ProviderRuntime): Promise<boolean> {
  const { image, token, annotations, kubelet } = request;
  const { checkList } = diagnosis;
  const hints = await loadHints(runtime.clouds, runtime, defaultConfig);
  checkImage(image, hints);
  const pod = token === undefined ? {} : { token, annotations };
  const selection = kubelet === undefined ? withoutKubelet : selectEntry(kubelet, { ...pod, image }, hints);
  // A kubelet that requests no login for a public image is right.
  const publicHost = selection.call === undefined ? publicHostOf(image) : undefined;
  if (publicHost === undefined) addAll(selection.findings, checkList);
  const isServed = await tryLogin(selection, { ...request, ...pod }, runtime, diagnosis);
  if (!isServed) {
    if (publicHost === undefined) throw unknownRegistry();
    checkList.add(publicImage(publicHost));
    return false;
  }
  if (publicHost !== undefined) addAll(selection.findings, checkList);
  await checkBroker(selection, { ...request, ...pod }, runtime, checkList);
  return true;
}

function addAll(findings: readonly DoctorFinding[], { add }: CheckList): void {
  for (const finding of findings) add(finding);
}

/** `false`: no cloud and no configuration has a registry for the image. A failure is reported here. */
async function tryLogin(
  { call }: EntrySelection,
  { image, kubelet, configFile, token }: DoctorRequest,
  runtime: ProviderRuntime,
  diagnosis: Diagnosis,
): Promise<boolean> {
  const invocation: Invocation = call ? await resolveInvocation(call, runtime) : { env: kubelet?.env ?? runtime.env };
  const trace = {
    image,
    ...(token !== undefined && { token }),
    ...(call && { annotations: call.annotations }),
    ...invocation,
    ...(configFile !== undefined && { configFile }),
  };
  try {
    return await traceLogin(trace, { ...runtime, ...viewOf(invocation, runtime) }, diagnosis);
  } catch (error) {
    diagnosis.checkList.fail(error);
    return true;
  }
}

async function checkBroker(
  { call }: EntrySelection,
  { image, token, kubelet }: DoctorRequest,
  { clouds }: ProviderRuntime,
  { add }: CheckList,
): Promise<void> {
  const binDirectory = kubelet?.binDirectory;
  if (call === undefined || binDirectory === undefined) return;
  const { annotations } = call;
  const request = requestFor({ image, ...(token !== undefined && { token, annotations }) });
  add(await brokerFinding({ ...call, binDirectory, request }, clouds));
}

function publicImage(host: string): DoctorFinding {
  const said = `images of ${host} that are public need no login, and the configuration has none for it`;
  const remedy = 'for a private image, add its registry to `registries` or `dockerConfigFiles` of the configuration';
  return { about: 'registry', code: 'public-image', outcome: 'ok', said, remedy };
}

function unknownRegistry(): Failure {
  return new Failure('misconfigured', 'the host is not a known registry, and the configuration does not name it', {
    remedy: 'check its spelling, or add it to `registries` of the configuration; a public image needs no login',
  });
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

const withoutKubelet: EntrySelection = {
  findings: [
    {
      about: 'kubelet',
      code: 'no-kubelet',
      outcome: 'unknown',
      said: 'none was found on this machine, so the login uses the environment of this command',
    },
  ],
};

/** As in the kubelet's request: without tag and digest, and with the full name of images on Docker Hub. */
function kubeletImageName(text: string): string {
  const image = parseImageReference(text);
  if (image === undefined) return text;
  const { registry, repository } = image;
  const isOfficial = registry === 'docker.io' && !repository.includes('/');
  return `${registry}/${isOfficial ? 'library/' : ''}${repository.replace(/^docker\.io\//, '')}`;
}
