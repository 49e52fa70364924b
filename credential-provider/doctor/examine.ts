import { parseImageReference } from '../../lib/image-reference.ts';
import { clean } from '../../lib/image-login/failure-line.ts';
import type { World } from '../world.ts';
import { understand } from './called.ts';
import type { Called } from './called.ts';
import { askKubelet } from './entry.ts';
import type { Asked } from './entry.ts';
import { follow } from './follow.ts';
import type { Writing } from './follow.ts';
import type { Kubelet } from './kubelet.ts';
import { createNotebook } from './notebook.ts';
import type { Finding, Report } from './report.ts';

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
  const notes: string[] = [];
  const notebook = createNotebook(world.clock, (text) => clean(text, secrets));
  const image = nameOf(patient.image);
  try {
    await examineInto({ notebook, secrets, notes }, { ...patient, image }, world);
  } catch (error) {
    notebook.fail(error);
  }
  for (const said of notes) notebook.note({ about: 'node', outcome: 'warning', said });
  const checks = notebook.checks();
  return { image, ok: checks.every(({ outcome }) => outcome !== 'failed'), checks };
}

async function examineInto(writing: Writing, patient: Patient, world: World): Promise<void> {
  const { image, token, annotations, configFile, kubelet } = patient;
  const pod = token === undefined ? {} : { token, annotations };
  const asked: Asked = kubelet === undefined ? { findings: [noKubelet] } : askKubelet(kubelet, { ...pod, image });
  for (const finding of asked.findings) writing.notebook.note(finding);
  const called: Called = asked.call ? await understand(asked.call, world) : { env: kubelet?.env ?? world.env };
  const question = { ...pod, ...(asked.call && { annotations: asked.call.annotations }), ...called, image };
  const named = configFile !== undefined && { configFile };
  await follow({ ...question, ...named }, { ...world, ...seenBy(called, world) }, writing);
}

/** What a program in whose place we are sees of the machine. */
function seenBy({ env, setting }: Called, { host }: World): Pick<World, 'env' | 'host'> {
  return { env, host: setting?.host ?? host };
}

const noKubelet: Finding = {
  about: 'kubelet',
  outcome: 'unknown',
  said: 'none was found on this machine, so this is asked with our own environment',
};

/** As the kubelet asks: without tag and digest, and with the whole name of what is on Docker Hub. */
function nameOf(text: string): string {
  const image = parseImageReference(text);
  if (image === undefined) return text;
  const { registry, repository } = image;
  const isOfficial = registry === 'docker.io' && !repository.includes('/');
  return `${registry}/${isOfficial ? 'library/' : ''}${repository.replace(/^docker\.io\//, '')}`;
}
