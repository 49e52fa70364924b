import type { KubeletHints } from '../../schemas/kubelet-hints.ts';
import type { Environment } from '../../lib/environment.ts';
import { findEmulatedProvider } from '../compat/find-emulated.ts';
import { readConfigFiles } from '../../lib/kubelet-config/config-files.ts';
import { decodeConfig } from '../../lib/kubelet-config/decode.ts';
import { locatedText } from '../../lib/kubelet-config/finding.ts';
import { lintConfig } from '../../lib/kubelet-config/lint.ts';
import type { CredentialProvider } from '../../lib/kubelet-config/schema.ts';
import { matchesImage } from './globs.ts';
import type { Kubelet } from './kubelet.ts';
import { annotationsSent } from './sent-annotations.ts';
import type { SentAnnotations } from './sent-annotations.ts';
import type { DoctorCode, DoctorFinding } from './report.ts';

/** The entry of the kubelet's file for an image. */
export interface EntrySelection {
  readonly findings: readonly DoctorFinding[];
  /** How the kubelet would start a provider; absent: it would not. */
  readonly call?: KubeletCall;
}

export interface KubeletCall {
  /** It can be the name of an emulated provider. */
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Environment;
  /** The annotations of the service account that the kubelet sends. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** The image and the identity of a pull. */
export interface Pull {
  /** As in the kubelet's request. */
  readonly image: string;
  /** Of the pod's service account; absent: the login is for the node. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export function selectEntry(kubelet: Kubelet, pull: Pull, hints: readonly KubeletHints[]): EntrySelection {
  const { configPath, binDirectory } = kubelet;
  if (configPath === undefined) {
    const remedy = 'start it with that flag, and with --image-credential-provider-bin-dir';
    return refused('kubelet-without-config', 'it runs without --image-credential-provider-config', remedy);
  }
  const lints = lintConfig(configPath, { hints, ...(binDirectory !== undefined && { binDirectory }) });
  const mistake = lints.find(({ severity }) => severity === 'error');
  if (mistake !== undefined) {
    const said = `it would not start again with its configuration, ${locatedText(mistake)}`;
    return refused('kubelet-config-invalid', said, mistake.remedy);
  }
  const warnings = lints.map((lint): DoctorFinding => {
    const said = locatedText(lint);
    return { about: 'kubelet', code: 'kubelet-config-warning', outcome: 'warning', said, remedy: lint.remedy };
  });
  const selection = selectFrom(providersIn(configPath), kubelet, pull);
  return { ...selection, findings: [...warnings, ...selection.findings] };
}

function refused(code: DoctorCode, said: string, remedy: string): EntrySelection {
  return { findings: [{ about: 'kubelet', code, outcome: 'failed', said, remedy }] };
}

function providersIn(path: string): readonly CredentialProvider[] {
  const read = readConfigFiles(path);
  if (read.kind === 'unreadable') return [];
  return read.files.flatMap(({ text }) => decodeConfig(text).config?.providers ?? []).map((provider) => provider ?? {});
}

const ownName = 'polycloud-credential-provider';

/** The kubelet uses all matching entries in this order. Here: the first of ours, else the first one. */
function selectFrom(providers: readonly CredentialProvider[], kubelet: Kubelet, pull: Pull): EntrySelection {
  const matching = providers.filter(({ matchImages }) =>
    (matchImages ?? []).some((pattern) => matchesImage(pattern ?? '', pull.image)),
  );
  if (matching.length === 0) {
    const remedy = `add the host to matchImages of an entry; ${ownName} config print prints a valid file`;
    const said = `no entry of ${kubelet.configPath} matches this image, so the kubelet requests no login`;
    return refused('no-entry-for-image', said, remedy);
  }
  const asPod = pull.annotations !== undefined;
  const fitting = matching.filter(({ tokenAttributes }) => Boolean(tokenAttributes) === asPod);
  const [entry] = [...fitting.filter(({ name }) => name?.startsWith(ownName)), ...fitting];
  if (entry === undefined) return asPod ? withoutToken(matching) : forPodsOnly(matching);
  return selectionOf(entry, kubelet, pull);
}

function namesOf(providers: readonly CredentialProvider[]): string {
  return providers.map(({ name }) => name ?? '').join(', ');
}

function withoutToken(matching: readonly CredentialProvider[]): EntrySelection {
  const remedy = `add an entry with tokenAttributes (${ownName} config print --pods), or omit --token-file`;
  const said = `no entry for this image uses the pod's token, and ${namesOf(matching)} logs in as the node`;
  return refused('no-entry-with-token', said, remedy);
}

function forPodsOnly(matching: readonly CredentialProvider[]): EntrySelection {
  const remedy = 'log in as a pod, with --token-file and --annotations, or add an entry without tokenAttributes';
  const said = `for this image the kubelet logs in only as a pod, by ${namesOf(matching)}`;
  return refused('no-entry-without-token', said, remedy);
}

function selectionOf(entry: CredentialProvider, kubelet: Kubelet, { annotations = {} }: Pull): EntrySelection {
  const name = entry.name ?? '';
  const { tokenAttributes } = entry;
  const sent = tokenAttributes ? annotationsSent(name, tokenAttributes, annotations) : nothingSent;
  if (sent.findings.some(({ outcome }) => outcome === 'failed')) return { findings: sent.findings };
  const said = `process ${kubelet.pid} calls ${name} by ${kubelet.configPath}${tokenAttributes ? ", with the pod's token" : ''}`;
  return {
    findings: [
      { about: 'kubelet', code: 'kubelet-entry', outcome: 'ok', said },
      ...sent.findings,
      ...(isOurs(name) ? [] : [otherProgram(name)]),
    ],
    call: { ...argumentsOf(entry, kubelet.env), name, annotations: sent.annotations },
  };
}

const nothingSent: SentAnnotations = { annotations: {}, findings: [] };

function argumentsOf({ args, env }: CredentialProvider, kubeletEnv: Environment): Pick<KubeletCall, 'args' | 'env'> {
  const own = (env ?? []).map((pair): [string, string] => [pair?.name ?? '', pair?.value ?? '']);
  return { args: (args ?? []).map((arg) => arg ?? ''), env: { ...kubeletEnv, ...Object.fromEntries(own) } };
}

function isOurs(name: string): boolean {
  return name.startsWith(ownName) || findEmulatedProvider(name) !== undefined;
}

function otherProgram(name: string): DoctorFinding {
  return {
    about: 'kubelet',
    code: 'kubelet-entry-of-another-program',
    outcome: 'warning',
    said: `${name} is another program; the following is what polycloud would do instead of it`,
    remedy: `to use polycloud, name the entry ${ownName}`,
  };
}
