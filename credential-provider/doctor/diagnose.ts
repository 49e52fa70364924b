import { parseImageReference } from '../../lib/image-reference.ts';
import { createRedactor } from '../../lib/registry-login/redactor.ts';
import { Secret } from '../../lib/secret.ts';
import type { ProviderRuntime } from '../runtime.ts';
import { resolveInvocation } from './invocation.ts';
import type { Invocation } from './invocation.ts';
import { selectEntry } from './select-entry.ts';
import type { EntrySelection } from './select-entry.ts';
import { traceLogin } from './trace-login.ts';
import type { Diagnosis } from './trace-login.ts';
import type { Kubelet } from './kubelet.ts';
import { createCheckList } from './check-list.ts';
import type { DoctorFinding, DoctorReport } from './report.ts';

export interface DoctorRequest {
  readonly image: string;
  readonly kubelet: Kubelet | undefined;
  readonly configFile: string | undefined;
  /** A pod's token, to be asked as that pod. */
  readonly token?: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The very flow of a request, each part of it noted with what it took. Never throws. */
export async function diagnose(request: DoctorRequest, runtime: ProviderRuntime): Promise<DoctorReport> {
  const redactor = createRedactor();
  if (request.token !== undefined) redactor.hide(new Secret(request.token));
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
    kubelet === undefined ? { findings: [noKubelet] } : selectEntry(kubelet, { ...pod, image });
  for (const finding of selection.findings) diagnosis.checkList.add(finding);
  const invocation: Invocation = selection.call
    ? await resolveInvocation(selection.call, runtime)
    : { env: kubelet?.env ?? runtime.env };
  const trace = { ...pod, ...(selection.call && { annotations: selection.call.annotations }), ...invocation, image };
  const givenConfig = configFile !== undefined && { configFile };
  await traceLogin({ ...trace, ...givenConfig }, { ...runtime, ...viewOf(invocation, runtime) }, diagnosis);
}

/** What a program in whose place we are sees of the machine. */
function viewOf({ env, compatMode }: Invocation, { host }: ProviderRuntime): Pick<ProviderRuntime, 'env' | 'host'> {
  return { env, host: compatMode?.host ?? host };
}

const noKubelet: DoctorFinding = {
  about: 'kubelet',
  outcome: 'unknown',
  said: 'none was found on this machine, so this is asked with our own environment',
};

/** As the kubelet asks: without tag and digest, and with the whole name of what is on Docker Hub. */
function kubeletImageName(text: string): string {
  const image = parseImageReference(text);
  if (image === undefined) return text;
  const { registry, repository } = image;
  const isOfficial = registry === 'docker.io' && !repository.includes('/');
  return `${registry}/${isOfficial ? 'library/' : ''}${repository.replace(/^docker\.io\//, '')}`;
}
