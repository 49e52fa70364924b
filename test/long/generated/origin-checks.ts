import type { GeneratedCase } from './generated-case.ts';
import { parseObject } from './case-facts.ts';
import type { CaseOutcome } from './outcome.ts';
import type { RawRequest, Service } from './raw-servers.ts';
import { goDurationMs } from './response-checks.ts';

/** Those whose answer is a login, or becomes one. */
const loginServices: ReadonlySet<Service> = new Set(['ecr', 'ecr-public', 'acr', 'gce', 'google-sts', 'iam', 'oauth2']);

/** A login is the one of the last answer that held one, and is kept no longer than its end allows. */
export function checkOrigin({ stdout, requests }: CaseOutcome, generated: GeneratedCase): readonly string[] {
  const last = requests.findLast(({ service }) => loginServices.has(service));
  const { auth = {}, cacheDuration } = parseObject(Buffer.from(stdout));
  const logins = Object.values(auth as Readonly<Record<string, Login>>);
  if (last === undefined || logins.length === 0) return [];
  const answer = Buffer.concat(generated.script(last).parts).toString('utf8');
  const answered = loginsIn(answer);
  const isAnswered = logins.every(({ username, password }) =>
    answered.some((one) => one === `${username}:${password}` || one === password),
  );
  return [
    ...(isAnswered ? [] : ['a login that was not answered']),
    ...checkCacheDuration(String(cacheDuration), { last, answer, logins, generated, requests }),
  ];
}

interface Login {
  readonly username: string;
  readonly password: string;
}

/** ECR's are user name and password in one. */
function loginsIn(answer: string): readonly string[] {
  const fields =
    /"(?<name>authorizationToken|refresh_token|access_token|accessToken)"\s*:\s*(?<text>"(?:[^"\\]|\\.)*")/g;
  return [...answer.matchAll(fields)].map(({ groups = {} }) => {
    const text = textIn(groups['text'] ?? '');
    return groups['name'] === 'authorizationToken' ? Buffer.from(text, 'base64').toString('utf8') : text;
  });
}

function textIn(json: string): string {
  try {
    return String(JSON.parse(json));
  } catch {
    return '';
  }
}

interface CacheEvidence {
  readonly last: RawRequest;
  readonly answer: string;
  readonly logins: readonly Login[];
  readonly generated: GeneratedCase;
  readonly requests: readonly RawRequest[];
}

const msPerDay = 24 * 60 * 60 * 1_000;
const slowPullMs = 15 * 60 * 1_000;
/** Seconds are rounded on the way. */
const toleranceMs = 2_000;

/** Half of the given life, and 15 minutes less than it. Without a given life: not at all. */
function checkCacheDuration(cacheDuration: string, evidence: CacheEvidence): readonly string[] {
  const announced = announcedLifeMs(evidence);
  if (announced === 'no telling') return [];
  const lifeMs = Math.min(announced, msPerDay);
  const longestMs = Math.max(0, Math.min(lifeMs / 2, lifeMs - slowPullMs)) + toleranceMs;
  const cacheMs = goDurationMs(cacheDuration) ?? 0;
  return cacheMs <= longestMs
    ? []
    : [`kept for ${cacheDuration}, told was a life of ${Math.round(announced / 1_000)} s`];
}

function announcedLifeMs({ last, answer, logins, generated, requests }: CacheEvidence): Lifetime {
  // The server's date shifts the times in its response.
  const dated = requests.some((request) =>
    /^date:/im.test(Buffer.concat(generated.script(request).parts).toString('utf8')),
  );
  if (dated) return 'no telling';
  const { wallAtStartMs } = generated;
  const read = readers[last.service] ?? ((text) => numberIn(text, 'expires_in', 1_000));
  return read(answer, wallAtStartMs, logins[0]?.password ?? '');
}

type Lifetime = number | 'no telling';
type Reader = (answer: string, wallAtStartMs: number, password: string) => Lifetime;

const ofEcr: Reader = (answer, wallMs) => untilMs(numberIn(answer, 'expiresAt', 1_000), wallMs);

/** Where it is not a number of seconds from now on. */
const readers: Readonly<Partial<Record<Service, Reader>>> = {
  ecr: ofEcr,
  'ecr-public': ofEcr,
  acr: (_answer, wallMs, password) => untilMs(numberIn(tokenClaims(password), 'exp', 1_000), wallMs),
  iam: (answer, wallMs) => untilMs(dateIn(answer), wallMs),
  // The library that reads this one looks at the system's clock, which is not the case's.
  oauth2: (answer, wallMs) => afterMs(numberIn(answer, 'expires_in', 1_000), Math.max(0, Date.now() - wallMs)),
};

function untilMs(endMs: Lifetime, nowMs: number): Lifetime {
  return afterMs(endMs, -nowMs);
}

function afterMs(ms: Lifetime, moreMs: number): Lifetime {
  return ms === 'no telling' ? ms : ms + moreMs;
}

/** Absent: there is no life. Several values, or not a number: the reading is unclear. */
function numberIn(text: string, field: string, unitMs: number): Lifetime {
  const found = [...text.matchAll(new RegExp(`"${field}"\\s*:\\s*(?<value>-?[\\d.]+(?:e[+-]?\\d+)?|[^\\d\\s-])`, 'g'))];
  const value = Number(found[0]?.groups?.['value']);
  if (found.length === 0) return 0;
  return found.length > 1 || Number.isNaN(value) ? 'no telling' : value * unitMs;
}

function dateIn(text: string): Lifetime {
  const found = [...text.matchAll(/"expireTime"\s*:\s*"(?<value>[^"]*)"/g)];
  const endMs = Date.parse(found[0]?.groups?.['value'] ?? '');
  return found.length > 1 || Number.isNaN(endMs) ? 'no telling' : endMs;
}

function tokenClaims(token: string): string {
  return Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
}
