import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CloudTraits } from '../../clouds/index.ts';
import type { Environment } from '../../lib/environment.ts';
import { brokerSocket, emulatedProviderNames } from '../../schemas/broker.ts';
import { askBroker } from './ask-broker.ts';
import type { BrokerReply } from './ask-broker.ts';
import type { DoctorFinding } from './report.ts';
import type { KubeletCall } from './select-entry.ts';

/** How the kubelet starts the front end, and the request that it writes. */
export interface BrokerCall extends Pick<KubeletCall, 'name' | 'args' | 'env'> {
  readonly binDirectory: string;
  readonly request: string;
}

type Traits = Pick<CloudTraits, 'hostInputs'>;

/** Whether the kubelet's request goes to the broker on this node, and what the broker answers; if not, why. */
export async function brokerFinding(call: BrokerCall, clouds: readonly Traits[]): Promise<DoctorFinding> {
  const executable = join(call.binDirectory, call.name);
  if (!isFrontEnd(executable)) {
    const said = `not asked: ${executable} is the full program, without a front end`;
    return { about: 'broker', code: 'broker-not-installed', outcome: 'ok', said };
  }
  const why = whyNotAsked(call, clouds) ?? whyNotTrusted(brokerSocket);
  return why === undefined
    ? findingOf(await askBroker(brokerSocket, call.name, call.request))
    : { about: 'broker', code: 'broker-not-asked', outcome: 'warning', said: `not asked: ${why}`, remedy: slowly };
}

const slowly = 'the full program answers, more slowly; to use the broker, remove the reason';

/** It starts the full program that lies beside it under this name. */
const fullProgram = 'polycloud-credential-provider-full';
/** The front end has a few KB, and a full program 100 MB. */
const maxFrontEndBytes = 1_000_000;

function isFrontEnd(executable: string): boolean {
  try {
    const file = realpathSync(executable);
    return (
      basename(file) !== fullProgram &&
      statSync(file).size < maxFrontEndBytes &&
      exists(join(dirname(file), fullProgram))
    );
  } catch {
    return false;
  }
}

function exists(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

/** Besides those of the clouds. `front-end.c` has the same list. */
export const neutralPrefixes: readonly string[] = [
  'SSL_CERT_',
  'POLYCLOUD_',
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].map((name) => `${name}=`),
  ...['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy'].map((name) => `${name}=`),
];

/** The front end's own conditions, see credential-provider/front/front-end.c. Values are not shown: one may be a secret. */
export function whyNotAsked(
  { name, args, env }: Pick<BrokerCall, 'name' | 'args' | 'env'>,
  clouds: readonly Traits[],
): string | undefined {
  if (args.length > 0) return 'the entry has arguments';
  if (emulatedProviderNames.some((each) => name.startsWith(each))) return `${name} is the name of another provider`;
  const prefixes = [...neutralPrefixes, ...clouds.flatMap(({ hostInputs }) => hostInputs.variablePrefixes)];
  const variable = Object.keys(env).find((key) => prefixes.some((prefix) => `${key}=`.startsWith(prefix)));
  if (variable !== undefined) return `the environment of the kubelet or of the entry has ${variable}`;
  const home = homeOf(env);
  const files = clouds.flatMap(({ hostInputs }) => hostInputs.homeFiles).map((file) => join(home, file));
  const file = files.find(exists);
  return file === undefined ? undefined : `${file} exists`;
}

function homeOf(env: Environment): string {
  return env['HOME'] ?? '/root';
}

const permissionBits = 0o7777;

/** Every directory on the way belongs to root and only root can write it; the last one only root can enter. */
function whyNotTrusted(socketPath: string): string | undefined {
  try {
    const directories = parentsOf(socketPath);
    const wrong = directories.find((path, index) => !isTrusted(path, index === directories.length - 1));
    if (wrong !== undefined) return `${wrong} is not a directory of root with the right mode`;
    const socket = lstatSync(socketPath);
    return socket.isSocket() && socket.uid === 0 ? undefined : `${socketPath} is not a socket of root`;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return code === 'EACCES'
      ? 'only root can see its socket; run doctor as root'
      : `there is no ${socketPath} (${code})`;
  }
}

function parentsOf(path: string): readonly string[] {
  const parent = dirname(path);
  return parent === '/' ? [] : [...parentsOf(parent), parent];
}

function isTrusted(directory: string, isLast: boolean): boolean {
  const found = lstatSync(directory);
  const mode = found.mode & permissionBits;
  return found.isDirectory() && found.uid === 0 && (isLast ? mode === 0o700 : (mode & ~0o755) === 0);
}

/** A failure is what the kubelet gets. Anything else than a whole answer makes the full program answer. */
function findingOf(reply: BrokerReply): DoctorFinding {
  const about = 'broker';
  if (reply.kind === 'none') {
    const said = `asked at ${brokerSocket}, but ${reply.why}`;
    return { about, code: 'broker-silent', outcome: 'warning', said, remedy: 'check that the agent runs on this node' };
  }
  const { outcome, text } = reply;
  if (outcome === 'answer') {
    return { about, code: 'broker-answers', outcome: 'ok', said: `the kubelet gets the login from ${brokerSocket}` };
  }
  if (outcome === 'failure') {
    const remedy = 'the kubelet gets this failure; the log of the agent on this node has more';
    return { about, code: 'broker-fails', outcome: 'failed', said: text, remedy };
  }
  return {
    about,
    code: 'broker-declines',
    outcome: 'warning',
    said: `declines, so the full program answers: ${text}`,
    remedy: 'if the host trusts an authority that the image of the agent does not, set caFile in the configuration',
  };
}
