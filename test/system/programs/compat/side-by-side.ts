import { parseGoDuration } from '../../../../lib/go-duration.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import type { Namespace } from '../../../lab/network/namespace.ts';
import { differences, improvements } from '../../../credential-provider/compat/improvements.ts';
import type { Difference, ImprovementName } from '../../../credential-provider/compat/improvements.ts';

/** One call, to be made of two programs of the same name. */
export interface PeerCall {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input: string;
}

/** How it ended, as the kubelet sees it, and what the cloud saw of it. */
export interface PeerResult {
  readonly succeeded: boolean;
  readonly answer: Answer | undefined;
  readonly stderr: string;
  /** Hosts, without the metadata services. */
  readonly asked: readonly string[];
  /** Whose the login is. */
  readonly as: string | undefined;
}

interface Answer {
  readonly cacheKeyType: string;
  /** Null: the kubelet's own. */
  readonly cacheDuration?: string | null;
  readonly auth: Readonly<Record<string, { readonly username: string; readonly password: string }>>;
}

/** What the cloud knows of the calls since it was last asked. */
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

/** One that holds no login may leave them out. */
function answerIn(stdout: string): Answer {
  const { auth, ...rest } = JSON.parse(stdout) as Partial<Answer> & Pick<Answer, 'cacheKeyType'>;
  return { ...rest, auth: auth ?? {} };
}

/** One line, for the kubelet's log, and no secret in it. */
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

/** Of two that are there. */
function inAnswers(partOf: (answer: Answer) => string): (theirs: PeerResult, ours: PeerResult) => boolean {
  return ({ answer: theirs }, { answer: ours }) =>
    theirs !== undefined && ours !== undefined && partOf(theirs) !== partOf(ours);
}

/** Whose names, and whether there is a password: it is another one each time. */
function loginsOf({ auth }: Answer): string {
  const logins = Object.values(auth).map(
    ({ username, password }) => `${username} ${password === '' ? 'none' : 'some'}`,
  );
  return [...new Set(logins)].toSorted().join(', ');
}

/** Both count in seconds, and are not asked in the same one. */
const toleranceMs = 20_000;

function durationOf({ cacheDuration }: Answer): string {
  if (typeof cacheDuration !== 'string') return 'the usual';
  const durationMs = parseGoDuration(cacheDuration);
  return durationMs === undefined ? cacheDuration : String(Math.round(durationMs / toleranceMs));
}

/** For people, without what must not be printed. */
export function summary(theirs: PeerResult, ours: PeerResult): string {
  const printed = [theirs, ours].map(({ answer, ...rest }) => ({
    ...rest,
    answer: answer && { ...answer, auth: Object.keys(answer.auth) },
  }));
  return JSON.stringify(printed);
}

/** What differs without an improvement that says so, and improvements that make no difference. */
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
