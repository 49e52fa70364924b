import { showsSecret } from '../../lab/clouds/secrets.ts';
import type { GeneratedCase } from './cases.ts';
import { isNobodys, sent } from './known.ts';
import { checkOrigin } from './origin-checks.ts';
import type { Outcome } from './outcome.ts';
import type { RawRequest, Service } from './raw-servers.ts';
import { checkResponse } from './response-checks.ts';

/** What is wrong with an outcome; nothing of it quotes a secret. */
export function problemsOf(outcome: Outcome, generated: GeneratedCase): readonly string[] {
  return [
    ...outcome.mishaps,
    ...outcome.strangers.map((who) => `asked a stranger: ${who}`),
    ...checkEnd(outcome, generated),
    ...checkSecrets(outcome, generated),
    ...checkAsked(outcome, generated),
    ...checkShown(outcome, generated),
    ...checkOrigin(outcome, generated),
  ];
}

const longestCharacters = 600;
const printable = /^[\x20-\x7e…\n]*$/;
const clearLine = /^polycloud-credential-provider: .+; hint: .+$/;

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

function checkSecrets({ stderr }: Outcome, { request, files }: GeneratedCase): readonly string[] {
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
const ofTheNode: readonly Service[] = ['imds', 'container', 'azure-imds', 'gce', 'oauth2'];

function checkAsked({ asked }: Outcome, generated: GeneratedCase): readonly string[] {
  const { env, request } = generated;
  const names = new Set(asked.map(({ service }) => service));
  const isPod = typeof sent(request.bytes)['serviceAccountToken'] === 'string';
  const isOff = env['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true';
  const mistakes: readonly (readonly [isMade: boolean, what: string])[] = [
    [isPod && ofTheNode.some((name) => names.has(name)), 'a pod was taken for the node'],
    [isOff && names.has('imds'), 'the metadata service was asked, and is switched off'],
    [isNobodys(generated) && asked.length > 0, 'somebody was asked about an image of nobody'],
    [asked.length > mostRequests, `${asked.length} requests`],
  ];
  return mistakes.filter(([isMade]) => isMade).map(([, what]) => what);
}

/** Who turns tokens of others into their own. */
const exchanges: readonly Service[] = ['sts', 'entra', 'google-sts'];
const urlSafe = /^[\w.-]{20,}$/;

/** Whoever proves to one cloud who they are, shows that to nobody else. */
function checkShown({ asked }: Outcome, { request, files }: GeneratedCase): readonly string[] {
  const proofs = [request.token, files['proof'], files['azure-token'], files['google-token'], files['token']];
  const shown = proofs.filter((proof) => proof !== undefined && urlSafe.test(proof));
  const others = asked.filter(({ service }) => !exchanges.includes(service));
  return others
    .filter((each) => shown.some((proof) => holds(each, proof ?? '')))
    .map(({ service }) => `a token was shown to ${service}`);
}

function holds({ path, headers, body }: RawRequest, text: string): boolean {
  return [path, headers, body].some((part) => part.includes(text));
}
