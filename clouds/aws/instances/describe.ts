import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { AccountSession } from './account-session.ts';
import type { DescribedInstance } from '../instance.ts';
import { parseInstancePage } from './parse.ts';
import type { InstancePage } from './parse.ts';
import type { QueryParameters } from './query-request.ts';

/** The result of one request; everything else is thrown as a `Failure`. */
export type DescribeResult =
  | { readonly is: 'instances'; readonly instances: readonly DescribedInstance[]; readonly target: string }
  | { readonly is: 'bad-ids'; readonly reason: BadIdReason; readonly evidence: string; readonly failure: Failure };

/** EC2 refuses the whole request for one id that does not exist, or that is malformed. */
export type BadIdReason = 'not-found' | 'malformed';

export type Filters = Readonly<Record<string, readonly string[]>>;

const badIdReasons: Readonly<Record<string, BadIdReason>> = {
  'InvalidInstanceID.NotFound': 'not-found',
  'InvalidInstanceID.Malformed': 'malformed',
};
const evidenceLengthMax = 300;
const pagesMax = 100;
/** The most instances in a page of EC2. */
const pageInstancesMax = 1_000;

/** Without a page size, which EC2 does not accept together with ids. */
export function describeIds(
  session: AccountSession,
  instanceIds: readonly string[],
  context: Context,
): Promise<DescribeResult> {
  return describe(session, numbered('InstanceId', instanceIds), context);
}

export function describeFiltered(session: AccountSession, filters: Filters, context: Context): Promise<DescribeResult> {
  const parameters = Object.entries(filters).flatMap(([name, values], index) =>
    Object.entries({ [`Filter.${index + 1}.Name`]: name, ...numbered(`Filter.${index + 1}.Value`, values) }),
  );
  return describe(session, { MaxResults: String(pageInstancesMax), ...Object.fromEntries(parameters) }, context);
}

/** A few instances of the account, in no particular order. */
export async function describeAny(session: AccountSession, context: Context): Promise<readonly DescribedInstance[]> {
  const page = await requestPage(session, { MaxResults: '5' }, context);
  if ('is' in page) throw page.failure;
  return page.instances;
}

function numbered(name: string, values: readonly string[]): QueryParameters {
  return Object.fromEntries(values.map((value, index) => [`${name}.${index + 1}`, value]));
}

async function describe(
  session: AccountSession,
  parameters: QueryParameters,
  context: Context,
): Promise<DescribeResult> {
  const instances: DescribedInstance[] = [];
  let next: QueryParameters = {};
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = await requestPage(session, { ...parameters, ...next }, context);
    if ('is' in page) return page;
    instances.push(...page.instances);
    if (page.nextToken === undefined) return { is: 'instances', instances, target: page.target };
    next = { NextToken: page.nextToken };
  }
  throw new Failure('invalid-response', `EC2's answer has more than ${pagesMax} pages`, {
    remedy: 'check that nothing else answers in its place',
  });
}

type ResponsePage = InstancePage & { readonly target: string };

async function requestPage(
  session: AccountSession,
  parameters: QueryParameters,
  context: Context,
): Promise<ResponsePage | (DescribeResult & { is: 'bad-ids' })> {
  const response = await session.request('ec2', { Action: 'DescribeInstances', ...parameters }, context);
  if (response.is === 'refusal') {
    const reason = badIdReasons[response.error.name];
    if (reason === undefined) throw response.failure;
    const evidence = `${response.error.name}: ${response.error.message}`.slice(0, evidenceLengthMax);
    return {
      is: 'bad-ids',
      reason,
      evidence: response.error.message,
      failure: withEvidence(response.failure, evidence),
    };
  }
  const page = parseInstancePage(response.body);
  if (page !== undefined) return { ...page, target: response.target };
  throw new Failure(
    'invalid-response',
    `${response.target} answered ec2:DescribeInstances with something that is not its format`,
    {
      remedy: 'check that nothing else, such as a proxy, answers in its place',
    },
  );
}

function withEvidence({ kind, cause }: Failure, evidence: string): Failure {
  return new Failure(kind, `EC2 refused the request for an id in it (${evidence})`, {
    remedy: "check the providerIDs of this cloud's nodes",
    cause,
  });
}
