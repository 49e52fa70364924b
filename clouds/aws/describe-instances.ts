import { Failure } from '../../lib/failure.ts';
import type { Context } from '../cloud.ts';
import type { AccountSession } from './account-session.ts';
import type { DescribedInstance } from './described-instance.ts';
import { parseInstancePage } from './parse-instances.ts';
import type { InstancePage } from './parse-instances.ts';
import type { Parameters } from './query-call.ts';

/** What one question is answered with; everything else is thrown as a `Failure`. */
export type Described =
  | { readonly is: 'instances'; readonly instances: readonly DescribedInstance[]; readonly whom: string }
  | { readonly is: 'bad-ids'; readonly word: BadIdWord; readonly quote: string; readonly failure: Failure };

/** EC2 refuses the whole question for one id that does not exist, or that is none. */
export type BadIdWord = 'not-found' | 'malformed';

export type Filters = Readonly<Record<string, readonly string[]>>;

const badIdWords: Readonly<Record<string, BadIdWord>> = {
  'InvalidInstanceID.NotFound': 'not-found',
  'InvalidInstanceID.Malformed': 'malformed',
};
const quotedLengthMax = 300;
const pagesMax = 100;
/** The most that EC2 gives in a page. */
const pageInstancesMax = 1_000;

/** Without a page size, which EC2 does not take together with ids. */
export function describeIds(
  session: AccountSession,
  instanceIds: readonly string[],
  context: Context,
): Promise<Described> {
  return describe(session, numbered('InstanceId', instanceIds), context);
}

export function describeFiltered(session: AccountSession, filters: Filters, context: Context): Promise<Described> {
  const parameters = Object.entries(filters).flatMap(([name, values], index) =>
    Object.entries({ [`Filter.${index + 1}.Name`]: name, ...numbered(`Filter.${index + 1}.Value`, values) }),
  );
  return describe(session, { MaxResults: String(pageInstancesMax), ...Object.fromEntries(parameters) }, context);
}

/** A few instances of the account, whichever they are. */
export async function describeAny(session: AccountSession, context: Context): Promise<readonly DescribedInstance[]> {
  const page = await askPage(session, { MaxResults: '5' }, context);
  if ('is' in page) throw page.failure;
  return page.instances;
}

function numbered(name: string, values: readonly string[]): Parameters {
  return Object.fromEntries(values.map((value, index) => [`${name}.${index + 1}`, value]));
}

async function describe(session: AccountSession, parameters: Parameters, context: Context): Promise<Described> {
  const instances: DescribedInstance[] = [];
  let next: Parameters = {};
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await askPage(session, { ...parameters, ...next }, context);
    if ('is' in page) return page;
    instances.push(...page.instances);
    if (page.nextToken === undefined) return { is: 'instances', instances, whom: page.whom };
    next = { NextToken: page.nextToken };
  }
  throw new Failure('invalid-response', `EC2's answer has more than ${pagesMax} pages`, {
    remedy: 'check that nothing else answers in its place',
  });
}

type Page = InstancePage & { readonly whom: string };

async function askPage(
  session: AccountSession,
  parameters: Parameters,
  context: Context,
): Promise<Page | (Described & { is: 'bad-ids' })> {
  const asked = await session.ask('ec2', { Action: 'DescribeInstances', ...parameters }, context);
  if (asked.is === 'refusal') {
    const word = badIdWords[asked.error.name];
    if (word === undefined) throw asked.failure;
    const quote = `${asked.error.name}: ${asked.error.message}`.slice(0, quotedLengthMax);
    return { is: 'bad-ids', word, quote: asked.error.message, failure: withQuote(asked.failure, quote) };
  }
  const page = parseInstancePage(asked.body);
  if (page !== undefined) return { ...page, whom: asked.whom };
  throw new Failure(
    'invalid-response',
    `${asked.whom} answered ec2:DescribeInstances with something that is not its format`,
    {
      remedy: 'check that nothing else, such as a proxy, answers in its place',
    },
  );
}

function withQuote({ kind, cause }: Failure, quote: string): Failure {
  return new Failure(kind, `EC2 refused the question for an id in it (${quote})`, {
    remedy: "check the providerIDs of this cloud's nodes",
    cause,
  });
}
