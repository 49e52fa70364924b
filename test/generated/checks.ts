import { showsSecret } from '../lab/clouds/secrets.ts';
import type { GeneratedCase } from './cases.ts';
import { isNobodys, sent } from './known.ts';
import type { Outcome } from './outcome.ts';
import { checkResponse } from './response-checks.ts';

/** What is wrong with an outcome; nothing of it quotes a secret. */
export function problemsOf(outcome: Outcome, generated: GeneratedCase): readonly string[] {
  return [
    ...outcome.mishaps,
    ...outcome.strangers.map((who) => `asked a stranger: ${who}`),
    ...checkEnd(outcome, generated),
    ...checkSecrets(outcome, generated),
    ...checkAsked(outcome, generated),
    ...checkOrigin(outcome, generated),
  ];
}

const longestCharacters = 600;
const printable = /^[\x20-\x7e…\n]*$/;
const clearLine = /^polycloud-credential-provider: .+; to mend it: .+$/;

function checkEnd(outcome: Outcome, generated: GeneratedCase): readonly string[] {
  const { exitCode, stdout, stderr } = outcome;
  const isOdd = printable.test(stderr) ? [] : ['standard error holds what is not printable'];
  if (exitCode === 0) return [...isOdd, ...checkResponse(stdout, generated), ...checkLines(stderr, generated, 1)];
  if (exitCode !== 1) return [...isOdd, `exit code ${exitCode}`];
  const lines = stderr.trimEnd().split('\n');
  return [
    ...isOdd,
    ...(stdout === '' ? [] : ['a failure with something on standard output']),
    ...checkLines(stderr, generated, 2),
    ...(lines.slice(-2).some((line) => clearLine.test(line)) ? [] : ['no line that says what to do']),
    ...(stderr.includes('an error of our own') ? ['an error that nobody thought of'] : []),
  ];
}

/** With -v there is a line for each step. */
function checkLines(stderr: string, { verbosity }: GeneratedCase, most: number): readonly string[] {
  if (verbosity > 0) return [];
  const count = stderr.split('\n').length - 1;
  const isWhole = stderr === '' || stderr.endsWith('\n');
  return [
    ...(count <= most && isWhole ? [] : [`${count} lines on standard error`]),
    ...(stderr.length <= longestCharacters ? [] : [`${stderr.length} characters on standard error`]),
  ];
}

const shortestTokenCharacters = 12;

function checkSecrets({ stderr }: Outcome, { request }: GeneratedCase): readonly string[] {
  const { token = '' } = request;
  const hasToken = token.length >= shortestTokenCharacters && stderr.includes(token);
  return [
    ...(showsSecret(stderr) ? ['a secret stands on standard error'] : []),
    ...(hasToken ? ['the token stands on standard error'] : []),
  ];
}

const mostRequests = 40;

function checkAsked({ asked }: Outcome, generated: GeneratedCase): readonly string[] {
  const { env, request } = generated;
  const names = new Set(asked.map(({ service }) => service));
  const isPod = typeof sent(request.bytes)['serviceAccountToken'] === 'string';
  const isOff = env['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true';
  const mistakes: readonly (readonly [isMade: boolean, what: string])[] = [
    [isPod && (names.has('imds') || names.has('container')), 'a pod was taken for the node'],
    [isOff && names.has('imds'), 'the metadata service was asked, and is switched off'],
    [isNobodys(generated) && asked.length > 0, 'somebody was asked about an image of nobody'],
    [asked.length > mostRequests, `${asked.length} requests`],
  ];
  return mistakes.filter(([isMade]) => isMade).map(([, what]) => what);
}

/** A registry's login is the one of its last answer, and nobody else's. */
function checkOrigin({ stdout, asked }: Outcome, { script }: GeneratedCase): readonly string[] {
  const last = asked.findLast(({ service }) => service === 'ecr' || service === 'ecr-public');
  const { auth = {} } = sent(Buffer.from(stdout));
  const logins = Object.values(auth as Readonly<Record<string, { username: string; password: string }>>);
  if (last === undefined || logins.length === 0) return [];
  const answered = loginsIn(Buffer.concat(script(last).parts).toString('utf8'));
  const isAnswered = logins.every(({ username, password }) => answered.includes(`${username}:${password}`));
  return isAnswered ? [] : ['a login that was not answered'];
}

function loginsIn(answer: string): readonly string[] {
  const tokens = [...answer.matchAll(/"authorizationToken" *: *("(?:[^"\\]|\\.)*")/g)].map(([, token = '""']) => token);
  return tokens.map((token) => Buffer.from(JSON.parse(token) as string, 'base64').toString('utf8'));
}
