import { parseGoDuration } from '../../../../lib/go-duration.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import type { Namespace } from '../../../lab/network/namespace.ts';
import { differences, improvements } from '../../../credential-provider/compat/improvements.ts';
import type { Difference, ImprovementName } from '../../../credential-provider/compat/improvements.ts';

/** One call of two programs with the same name. */
export interface PeerCall {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input: string;
}

/** The result for the kubelet, and the calls that the cloud got. */
export interface PeerResult {
  readonly succeeded: boolean;
  readonly answer: Answer | undefined;
  readonly stderr: string;
  /** Hosts, without the metadata services. */
  readonly asked: readonly string[];
  /** The owner of the login. */
  readonly as: string | undefined;
}

interface Answer {
  readonly cacheKeyType: string;
  /** Null: that of the kubelet. */
  readonly cacheDuration?: string | null;
  readonly auth: Readonly<Record<string, { readonly username: string; readonly password: string }>>;
}

/** The calls that the cloud got since the last reset. */
export interface CloudRecorder {
  reset(): Promise<void>;
  asked(): Promise<readonly string[]>;
  lastLoginBy(): Promise<string | undefined>;
}

const timeoutMs = 70_000;

export async function callProgram(
  program: string,
  { args = [], env = {}, input }: PeerCall,
  context: { readonly namespace: Namespace; readonly recorder: CloudRecorder },
): Promise<PeerResult> {
  const { namespace, recorder: witness } = context;
  await witness.reset();
  const { code, stdout, stderr } = await namespace.run(program, args, { env, input, timeoutMs });
  const succeeded = code === 0;
  return {
    succeeded,
    answer: succeeded && stdout !== '' ? answerIn(stdout) : undefined,
    stderr,
    asked: [...new Set(await witness.asked())].toSorted(),
    as: await witness.lastLoginBy(),
  };
}

/** A response without a login may omit them. */
function answerIn(stdout: string): Answer {
  const { auth, ...rest } = JSON.parse(stdout) as Partial<Answer> & Pick<Answer, 'cacheKeyType'>;
  return { ...rest, auth: auth ?? {} };
}

/** One line for the kubelet's log, without a secret. */
export function isGoodFailure({ answer, stderr }: PeerResult): boolean {
  return answer === undefined && /^[a-z-]+: .+; hint: .+\n/.test(stderr) && !showsSecret(stderr);
}

export function compare(theirs: PeerResult, ours: PeerResult): readonly Difference[] {
  return differences.filter((difference) => differs[difference](theirs, ours));
}

const differs: Readonly<Record<Difference, (theirs: PeerResult, ours: PeerResult) => boolean>> = {
  exit: (theirs, ours) => theirs.succeeded !== ours.succeeded,
  login: inAnswers(loginsOf),
  keys: inAnswers(({ auth }) => Object.keys(auth).toSorted().join(' ')),
  cacheKeyType: inAnswers(({ cacheKeyType }) => cacheKeyType),
  cacheDuration: inAnswers(durationOf),
  as: (theirs, ours) => theirs.succeeded && ours.succeeded && theirs.as !== ours.as,
  asked: (theirs, ours) => theirs.asked.join(' ') !== ours.asked.join(' '),
};

/** Of two responses that exist. */
function inAnswers(partOf: (answer: Answer) => string): (theirs: PeerResult, ours: PeerResult) => boolean {
  return ({ answer: theirs }, { answer: ours }) =>
    theirs !== undefined && ours !== undefined && partOf(theirs) !== partOf(ours);
}

/** User names, and whether there is a password: passwords differ each time. */
function loginsOf({ auth }: Answer): string {
  const logins = Object.values(auth).map(
    ({ username, password }) => `${username} ${password === '' ? 'none' : 'some'}`,
  );
  return [...new Set(logins)].toSorted().join(', ');
}

/** Both round to seconds, and do not run in the same one. */
const toleranceMs = 20_000;

function durationOf({ cacheDuration }: Answer): string {
  if (typeof cacheDuration !== 'string') return 'the usual';
  const durationMs = parseGoDuration(cacheDuration);
  return durationMs === undefined ? cacheDuration : String(Math.round(durationMs / toleranceMs));
}

/** For people, without secrets. */
export function summary(theirs: PeerResult, ours: PeerResult): string {
  const printed = [theirs, ours].map(({ answer, ...rest }) => ({
    ...rest,
    answer: answer && { ...answer, auth: Object.keys(answer.auth) },
  }));
  return JSON.stringify(printed);
}

/** Differences that no listed improvement explains, and listed improvements without a difference. */
export function unexplainedDifferences(
  found: readonly Difference[],
  expected: readonly ImprovementName[],
): readonly string[] {
  const allowed = expected.flatMap((name): readonly Difference[] => improvements[name].differsIn);
  const idle = expected.filter(
    (name) => !found.some((each) => (improvements[name].differsIn as readonly Difference[]).includes(each)),
  );
  return [
    ...found.filter((difference) => !allowed.includes(difference)).map((difference) => `${difference} differs`),
    ...idle.map((name) => `${name} makes no difference`),
  ];
}
