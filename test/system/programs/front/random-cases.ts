import { cloudHomeFiles } from '../../../../schemas/generated/clouds.ts';
import { brokerLimits, emulatedProviderNames } from '../../../../schemas/broker.ts';
import type { Random } from '../../../support/random.ts';
import { defaultCall } from './fixture.ts';
import type { FrontCall } from './fixture.ts';

/** One call of the front end, and what the broker says to it. */
export interface RandomCase {
  readonly call: FrontCall;
  readonly reply: Buffer;
  /** Where the reply is cut into pieces that come one after the other. */
  readonly piecesBytes: number;
}

const object = '{"kind":"CredentialProviderResponse","auth":{}}';
const replies = [
  `polycloud/2\nanswer\n${object}\nend\n`,
  'polycloud/2\nfailure\npolycloud-credential-provider: no; hint: do\nend\n',
  'polycloud/2\ndecline\nnot here\nend\n',
  'polycloud/1 answer\n{}\nend\n',
  '',
];

export function randomCase(random: Random): RandomCase {
  return { call: randomCall(random), reply: randomReply(random), piecesBytes: random.between(1, 40_000) };
}

function randomCall(random: Random): FrontCall {
  const input = random.pickWeighted([
    [6, defaultCall.input],
    [2, random.characters('{}":,\n\u0000a', random.between(0, 5_000))],
    [1, 'x'.repeat(random.between(0, 1_100_000))],
  ]);
  const env = random.pickWeighted([
    [6, defaultCall.env],
    [1, { ...defaultCall.env, [random.pick(['AWS_REGION', 'http_proxy', 'GOOGLE_X', 'SSL_CERT_DIR'])]: 'x' }],
    [1, { HOME: random.characters('/a.', random.between(0, 4_200)), [random.characters('ABHOME_', 8)]: '' }],
    // About as long as there is room for.
    [1, { HOME: `/${random.characters('/a.', random.between(3_950, 4_150))}` }],
    [1, { ...defaultCall.env, ['X'.repeat(random.between(1, 100))]: 'y'.repeat(random.between(0, 60_000)) }],
  ]);
  const args = random.chance(0.1) ? [random.characters('-a', random.between(0, 20))] : [];
  return { args, env, input, baseName: defaultCall.baseName };
}

function randomReply(random: Random): Buffer {
  let reply: Buffer = Buffer.from(random.pick(replies));
  const changes = random.pickWeighted([
    [4, 0],
    [3, 1],
    [2, 3],
    [1, 10],
  ]);
  for (let i = 0; i < changes; i++) reply = random.pick(mutations)(reply, random);
  return reply;
}

type Mutation = (reply: Buffer, random: Random) => Buffer;

const mutations: readonly Mutation[] = [
  (reply, random) => reply.subarray(0, random.between(0, reply.length)),
  (reply, random) => reply.subarray(random.between(0, reply.length)),
  (reply, random) => insert(reply, random, random.characters('\u0000\n{}e\u00ff', random.between(1, 50))),
  (reply, random) => insert(reply, random, random.pick(['\nend\n', 'end\n', 'polycloud/2\nanswer\n', '\n', '{'])),
  (reply, random) => insert(reply, random, 'x'.repeat(random.between(0, 40_000))),
  // To a byte of what there is room for.
  (reply, random) => insert(reply, random, 'x'.repeat(Math.max(0, roomLeft(reply) + random.between(-2, 2)))),
  (reply) => Buffer.concat([reply, reply]),
];

function roomLeft(reply: Buffer): number {
  return brokerLimits.answerBytes - reply.length;
}

function insert(reply: Buffer, random: Random, text: string): Buffer {
  const at = random.between(0, reply.length);
  return Buffer.concat([reply.subarray(0, at), Buffer.from(text, 'latin1'), reply.subarray(at)]);
}

/** What has to come of it; nothing: the full program is started. */
export interface ExpectedResult {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly code: 0 | 1;
}

const outcomes = [
  ['polycloud/2\nanswer\n', 0],
  ['polycloud/2\nfailure\n', 1],
] as const;
const lastLine = Buffer.from('\nend\n');
const nothing = Buffer.alloc(0);

export function expectedOf({ call, reply }: RandomCase): ExpectedResult | undefined {
  if (!isForBroker(call) || reply.length >= brokerLimits.answerBytes) return undefined;
  for (const [head, code] of outcomes) {
    if (!reply.subarray(0, head.length).equals(Buffer.from(head))) continue;
    const body = reply.subarray(head.length, reply.length - lastLine.length + 1);
    const isWhole = reply.length > head.length + lastLine.length && reply.subarray(-lastLine.length).equals(lastLine);
    const output = code === 0 ? { stdout: body, stderr: nothing } : { stdout: nothing, stderr: body };
    if (isWhole) return { code, ...output };
  }
  return undefined;
}

const longestPath = 4_096;
const longestFile = Math.max(...cloudHomeFiles.map((file) => file.length));
const settings = /^(?:AWS|AZURE|GOOGLE|SSL_CERT)_|^https?_proxy$/;

function isForBroker({ args, env, baseName }: FrontCall): boolean {
  if (
    args.length > 0 ||
    emulatedProviderNames.includes(baseName) ||
    Object.keys(env).some((name) => settings.test(name))
  ) {
    return false;
  }
  const home = env['HOME'] ?? '/root';
  return home.startsWith('/') && home.length + 1 + longestFile < longestPath;
}
