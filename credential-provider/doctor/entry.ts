import type { Environment } from '../../lib/environment.ts';
import { dropInCalled } from '../drop-in/by-name.ts';
import { readConfigFiles } from '../kubelet-config/config-files.ts';
import { decodeConfig } from '../kubelet-config/decode.ts';
import { whatIsWhere } from '../kubelet-config/finding.ts';
import { lintConfig } from '../kubelet-config/lint.ts';
import type { Provider } from '../kubelet-config/schema.ts';
import { matchesImage } from './globs.ts';
import type { Kubelet } from './kubelet.ts';
import { sentTo } from './pod-entry.ts';
import type { Sent } from './pod-entry.ts';
import type { Finding } from './report.ts';

/** What the kubelet's own file makes of the image. */
export interface Asked {
  readonly findings: readonly Finding[];
  /** How the kubelet would call us; absent: it would not. */
  readonly call?: KubeletCall;
}

export interface KubeletCall {
  /** By which we may be another program. */
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Environment;
  /** Of the service account's, those that it sends. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** For whom the kubelet would pull. */
export interface Pull {
  /** As the kubelet names it. */
  readonly image: string;
  /** Of the service account; absent: the node asks for itself. */
  readonly annotations?: Readonly<Record<string, string>>;
}

export function askKubelet(kubelet: Kubelet, pull: Pull): Asked {
  const { configPath, binDirectory } = kubelet;
  if (configPath === undefined) {
    const remedy = 'start it with that flag, and with --image-credential-provider-bin-dir';
    return refused('it runs without --image-credential-provider-config', remedy);
  }
  const lints = lintConfig(configPath, { ...(binDirectory !== undefined && { binDirectory }) });
  const mistake = lints.find(({ severity }) => severity === 'error');
  if (mistake !== undefined) {
    return refused(`it would not start again with its configuration, ${whatIsWhere(mistake)}`, mistake.remedy);
  }
  const warnings = lints.map((lint): Finding => {
    return { about: 'kubelet', outcome: 'warning', said: whatIsWhere(lint), remedy: lint.remedy };
  });
  const asked = choose(providersIn(configPath), kubelet, pull);
  return { ...asked, findings: [...warnings, ...asked.findings] };
}

function refused(said: string, remedy: string): Asked {
  return { findings: [{ about: 'kubelet', outcome: 'failed', said, remedy }] };
}

function providersIn(path: string): readonly Provider[] {
  const read = readConfigFiles(path);
  if (read.kind === 'unreadable') return [];
  return read.files.flatMap(({ text }) => decodeConfig(text).config?.providers ?? []).map((provider) => provider ?? {});
}

const ownName = 'polycloud-credential-provider';

/** Of the entries that match, all of which the kubelet would ask in this order, ours, else the first one. */
function choose(providers: readonly Provider[], kubelet: Kubelet, pull: Pull): Asked {
  const matching = providers.filter(({ matchImages }) =>
    (matchImages ?? []).some((pattern) => matchesImage(pattern ?? '', pull.image)),
  );
  if (matching.length === 0) {
    const remedy = `add the host to matchImages of an entry; ${ownName} config print writes a right file`;
    return refused(`no entry of ${kubelet.configPath} matches this image, so nobody is asked for a login`, remedy);
  }
  const asPod = pull.annotations !== undefined;
  const fitting = matching.filter(({ tokenAttributes }) => Boolean(tokenAttributes) === asPod);
  const [entry] = [...fitting.filter(({ name }) => name?.startsWith(ownName)), ...fitting];
  if (entry === undefined) return asPod ? withoutToken(matching) : forPodsOnly(matching);
  return called(entry, kubelet, pull);
}

function namesOf(providers: readonly Provider[]): string {
  return providers.map(({ name }) => name ?? '').join(', ');
}

function withoutToken(matching: readonly Provider[]): Asked {
  const remedy = `add an entry with tokenAttributes (${ownName} config print --pods), or ask without --token-file`;
  return refused(`no entry for this image takes a pod's token, and ${namesOf(matching)} logs in as the node`, remedy);
}

function forPodsOnly(matching: readonly Provider[]): Asked {
  const remedy = 'ask as a pod, with --token-file and --annotations, or add an entry without tokenAttributes';
  return refused(`for this image the kubelet asks for pods only, by ${namesOf(matching)}`, remedy);
}

function called(entry: Provider, kubelet: Kubelet, { annotations = {} }: Pull): Asked {
  const name = entry.name ?? '';
  const { tokenAttributes } = entry;
  const sent = tokenAttributes ? sentTo(name, tokenAttributes, annotations) : nothing;
  if (sent.findings.some(({ outcome }) => outcome === 'failed')) return { findings: sent.findings };
  const said = `process ${kubelet.pid} calls ${name} by ${kubelet.configPath}${tokenAttributes ? ", with the pod's token" : ''}`;
  return {
    findings: [{ about: 'kubelet', outcome: 'ok', said }, ...sent.findings, ...(isOurs(name) ? [] : [anothers(name)])],
    call: { ...callBy(entry, kubelet.env), name, annotations: sent.annotations },
  };
}

const nothing: Sent = { annotations: {}, findings: [] };

function callBy({ args, env }: Provider, kubelets: Environment): Pick<KubeletCall, 'args' | 'env'> {
  const own = (env ?? []).map((pair): [string, string] => [pair?.name ?? '', pair?.value ?? '']);
  return { args: (args ?? []).map((arg) => arg ?? ''), env: { ...kubelets, ...Object.fromEntries(own) } };
}

function isOurs(name: string): boolean {
  return name.startsWith(ownName) || dropInCalled(name) !== undefined;
}

function anothers(name: string): Finding {
  return {
    about: 'kubelet',
    outcome: 'warning',
    said: `${name} is another program; what follows is how we would answer in its place`,
    remedy: `to have us asked, name the entry ${ownName}`,
  };
}
