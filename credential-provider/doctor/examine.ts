import type { Environment } from '../../lib/environment.ts';
import { parseImageReference } from '../../lib/image-reference.ts';
import { clean } from '../../lib/image-login/failure-line.ts';
import { readArguments } from '../drop-in/arguments.ts';
import { dropInCalled } from '../drop-in/by-name.ts';
import type { Setting } from '../drop-in/drop-in.ts';
import type { World } from '../world.ts';
import { askKubelet } from './entry.ts';
import type { KubeletCall } from './entry.ts';
import { follow } from './follow.ts';
import { flagOf } from './kubelet.ts';
import type { Kubelet } from './kubelet.ts';
import { createNotebook } from './notebook.ts';
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
  const { token, annotations } = patient;
  const secrets: string[] = token === undefined ? [] : [token];
  const notes: string[] = [];
  const notebook = createNotebook(world.clock, (text) => clean(text, secrets));
  const image = nameOf(patient.image);
  try {
    const asked =
      patient.kubelet && askKubelet(patient.kubelet, { image, ...(token !== undefined && { annotations }) });
    for (const finding of asked?.findings ?? [noKubelet]) notebook.note(finding);
    const called = await open(asked?.call, patient, world);
    const pod = token !== undefined && { token, annotations: asked?.call?.annotations ?? annotations };
    await follow({ image, ...called, ...pod }, { ...world, env: called.env }, { notebook, secrets, notes });
  } catch (error) {
    notebook.fail(error);
  }
  for (const said of notes) notebook.note({ about: 'node', outcome: 'warning', said });
  const checks = notebook.checks();
  return { image, ok: checks.every(({ outcome }) => outcome !== 'failed'), checks };
}

/** With what we are called, and in whose place. */
interface Called {
  readonly env: Environment;
  readonly configFile?: string;
  readonly setting?: Setting;
}

async function open(call: KubeletCall | undefined, patient: Patient, { env, host }: World): Promise<Called> {
  const { configFile, kubelet } = patient;
  const named = configFile !== undefined && { configFile };
  if (call === undefined) return { env: kubelet?.env ?? env, ...named };
  const dropIn = await dropInCalled(call.name)?.();
  if (dropIn !== undefined) {
    const setting = await dropIn.read(readArguments(dropIn, call.args), { env: call.env, host });
    return { env: setting.env, setting, ...named };
  }
  const given = flagOf(call.args, '--config');
  return { env: call.env, ...(given !== undefined && { configFile: given }), ...named };
}

const noKubelet = {
  about: 'kubelet',
  outcome: 'unknown',
  said: 'none was found on this machine, so this is asked with our own environment',
} as const;

/** As the kubelet asks: without tag and digest, and with the whole name of what is on Docker Hub. */
function nameOf(text: string): string {
  const image = parseImageReference(text);
  if (image === undefined) return text;
  const { registry, repository } = image;
  const isOfficial = registry === 'docker.io' && !repository.includes('/');
  return `${registry}/${isOfficial ? 'library/' : ''}${repository.replace(/^docker\.io\//, '')}`;
}
