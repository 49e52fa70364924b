import { showsSecret } from '../../lab/clouds/secrets.ts';
import type { GeneratedCase } from './generated-case.ts';
import { isUnmatched, parseObject } from './case-facts.ts';
import { checkOrigin } from './origin-checks.ts';
import type { CaseOutcome } from './outcome.ts';
import type { RawRequest, Service } from './raw-servers.ts';
import { checkResponse } from './response-checks.ts';

/** What is wrong with an outcome; nothing of it quotes a secret. */
export function problemsOf(outcome: CaseOutcome, generated: GeneratedCase): readonly string[] {
  return [
    ...outcome.errors,
    ...outcome.unexpectedRequests.map((who) => `asked a stranger: ${who}`),
    ...checkEnd(outcome, generated),
    ...checkSecrets(outcome, generated),
    ...checkRequests(outcome, generated),
    ...checkTokenRecipients(outcome, generated),
    ...checkOrigin(outcome, generated),
  ];
}

const longestCharacters = 600;
const printable = /^[\x20-\x7e…\n]*$/;
const failureLine = /^polycloud-credential-provider: .+; hint: .+$/;

function checkEnd(outcome: CaseOutcome, generated: GeneratedCase): readonly string[] {
  const { exitCode, stdout, stderr } = outcome;
  const isOdd = printable.test(stderr) ? [] : ['standard error holds what is not printable'];
  if (exitCode === 0) return [...isOdd, ...checkResponse(stdout, generated), ...checkLines(stderr, generated, 1)];
  if (exitCode !== 1) return [...isOdd, `exit code ${exitCode}`];
  const lines = stderr.trimEnd().split('\n');
  return [
    ...isOdd,
    ...(stdout === '' ? [] : ['a failure with something on standard output']),
    ...checkLines(stderr, generated, 2),
    ...(lines.slice(-2).some((line) => failureLine.test(line)) ? [] : ['no line that says what to do']),
    ...(stderr.includes('internal error') ? ['an error that nobody thought of'] : []),
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
/** Of a private key, which cannot hold the marker. */
const keyLine = /(?<=\\n)[A-Za-z0-9+/]{64}(?=\\n)/g;

function checkSecrets({ stderr }: CaseOutcome, { request, files }: GeneratedCase): readonly string[] {
  const { token = '' } = request;
  const keyLines = (files['google.json'] ?? '').match(keyLine) ?? [];
  const hasToken = token.length >= shortestTokenCharacters && stderr.includes(token);
  return [
    ...(showsSecret(stderr) ? ['a secret stands on standard error'] : []),
    ...(keyLines.some((line) => stderr.includes(line)) ? ['a private key stands on standard error'] : []),
    ...(hasToken ? ['the token stands on standard error'] : []),
  ];
}

const mostRequests = 40;
const nodeServices: readonly Service[] = ['imds', 'container', 'azure-imds', 'gce', 'oauth2'];

function checkRequests({ requests }: CaseOutcome, generated: GeneratedCase): readonly string[] {
  const { env, request } = generated;
  const names = new Set(requests.map(({ service }) => service));
  const isPod = typeof parseObject(request.bytes)['serviceAccountToken'] === 'string';
  const isOff = env['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true';
  const mistakes: readonly (readonly [isMade: boolean, what: string])[] = [
    [isPod && nodeServices.some((name) => names.has(name)), 'a pod was taken for the node'],
    [isOff && names.has('imds'), 'the metadata service was asked, and is switched off'],
    [isUnmatched(generated) && requests.length > 0, 'somebody was asked about an image of nobody'],
    [requests.length > mostRequests, `${requests.length} requests`],
  ];
  return mistakes.filter(([isMade]) => isMade).map(([, what]) => what);
}

/** Who turns tokens of others into their own. */
const exchanges: readonly Service[] = ['sts', 'entra', 'google-sts'];
const urlSafe = /^[\w.-]{20,}$/;

/** A token for one cloud must not be sent to another. */
function checkTokenRecipients({ requests }: CaseOutcome, { request, files }: GeneratedCase): readonly string[] {
  const tokens = [request.token, files['proof'], files['azure-token'], files['google-token'], files['token']];
  const shown = tokens.filter((proof) => proof !== undefined && urlSafe.test(proof));
  const others = requests.filter(({ service }) => !exchanges.includes(service));
  return others
    .filter((each) => shown.some((proof) => contains(each, proof ?? '')))
    .map(({ service }) => `a token was shown to ${service}`);
}

function contains({ path, headers, body }: RawRequest, text: string): boolean {
  return [path, headers, body].some((part) => part.includes(text));
}
