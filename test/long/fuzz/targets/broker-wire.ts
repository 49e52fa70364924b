import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { handleConnection } from '../../../../node-agent/broker/socket/handle-connection.ts';
import type { BrokerRequestHandler, BufferedBytes } from '../../../../node-agent/broker/socket/handle-connection.ts';
import { parseBrokerRequest } from '../../../../node-agent/broker/socket/wire-format.ts';
import type { BrokerResponse } from '../../../../node-agent/broker/socket/wire-format.ts';
import { brokerLimits } from '../../../../schemas/broker.ts';
import { chooseImage } from '../../generated/images.ts';
import { mutateBytes, mutateText } from '../../generated/mutate.ts';
import { generateRequest } from '../../generated/requests.ts';
import type { Random } from '../../../support/random.ts';
import type { FuzzTarget, FuzzCase } from '../target.ts';

/** What a front end, or anything else that root runs, sends to the broker's socket, and what comes back. */
interface BrokerParser {
  readonly speak: typeof handleConnection;
  readonly parse: typeof parseBrokerRequest;
}

interface Exchange {
  readonly sent: Buffer;
  readonly piecesBytes: number;
  /** Less than all: then it goes away, and waits for nothing. */
  readonly leavesAfterBytes: number;
  readonly reply: BrokerResponse;
}

const requestBytesMax = brokerLimits.requestBytes + 300;

function makeExchange(random: Random): Exchange {
  const sent = random.pickWeighted<() => Buffer>([
    [6, () => randomRequest(random)],
    [3, () => mutateBytes(random, randomRequest(random))],
    [2, () => Buffer.from(mutateText(random, randomRequest(random).toString('latin1')), 'latin1')],
    [1, () => Buffer.from(random.characters('polycud/12 \n', random.between(0, 40)))],
    [1, () => Buffer.alloc(requestBytesMax + random.between(-3, 3), 'x')],
  ])();
  const outcome = random.pick(['answer', 'failure', 'decline'] as const);
  const text = random.pick([
    '{}',
    'x'.repeat(random.between(0, 40_000)),
    'é'.repeat(random.between(16_300, 16_400)),
    'end',
  ]);
  const leavesAfterBytes = random.chance(0.9) ? sent.length : random.between(0, sent.length - 1);
  return {
    sent,
    piecesBytes: random.pick([1_000_000, 1_000_000, 7, 4_096]),
    leavesAfterBytes,
    reply: { outcome, text },
  };
}

function randomRequest(random: Random): Buffer {
  const protocol = random.pick(['polycloud/2', 'polycloud/2', 'polycloud/1', 'polycloud/3']);
  const { bytes } = generateRequest(random, chooseImage(random));
  return Buffer.concat([Buffer.from(`${protocol} polycloud-credential-provider\n`), bytes.subarray(0, 4_000)]);
}

interface BrokerFixture {
  readonly server: Server;
  readonly path: string;
  readonly directory: string;
  readonly held: BufferedBytes;
  subject: BrokerParser;
  reply: BrokerResponse;
  heard: string[];
  /** Connections that were opened by this side, and that are over on the other. */
  opened: number;
  closed: number;
}

let stage: Promise<BrokerFixture> | undefined;

async function openFixture(): Promise<BrokerFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'fuzz-'));
  const path = join(directory, 'socket');
  const held = { count: 0 };
  const answer: BrokerRequestHandler = async (text) => {
    opened.heard.push(text);
    return opened.reply;
  };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    opened.subject.speak(socket, answer, held);
    socket.once('close', () => (opened.closed += 1));
  });
  const reply = { outcome: 'answer', text: '' } as const;
  const opened: BrokerFixture = {
    server,
    path,
    directory,
    held,
    subject: real,
    reply,
    heard: [],
    opened: 0,
    closed: 0,
  };
  server.listen(path);
  await once(server, 'listening');
  return opened;
}

const caseWith =
  (subject: BrokerParser): FuzzCase =>
  async (random) => {
    const exchange = makeExchange(random);
    const { sent, leavesAfterBytes } = exchange;
    const opened = await (stage ??= openFixture());
    Object.assign(opened, { subject, reply: exchange.reply, heard: [] });
    const received = await send(opened, exchange);
    const held = await checkOpenConnections(opened);
    const end = endOf(exchange);
    const heard = sent.subarray(0, leavesAfterBytes).toString('utf8');
    const mayHear = { whole: [[heard]], leaves: [[], [heard]], 'too large': [[]] }[end];
    return {
      end,
      problems: [
        ...(mayHear.some((each) => isDeepStrictEqual(each, opened.heard)) ? [] : ['not heard as it was sent']),
        ...(end === 'leaves' ? [] : checkReply(received, exchange, end === 'too large')),
        ...held,
        ...checkRequest(sent.toString('utf8'), subject),
      ],
    };
  };

function endOf({ sent, leavesAfterBytes }: Exchange): 'whole' | 'leaves' | 'too large' {
  if (leavesAfterBytes < sent.length) {
    return 'leaves';
  }
  return sent.length > requestBytesMax ? 'too large' : 'whole';
}

/** Returns all bytes until the other end closed. */
async function send(opened: BrokerFixture, { sent, piecesBytes, leavesAfterBytes }: Exchange): Promise<Buffer> {
  const socket = connect({ path: opened.path, allowHalfOpen: true });
  opened.opened += 1;
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part)).on('error', () => socket.destroy());
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  socket.once('end', () => socket.destroy());
  await writeChunks(socket, sent.subarray(0, leavesAfterBytes), piecesBytes);
  if (leavesAfterBytes < sent.length) {
    socket.destroy();
  } else if (!socket.destroyed) {
    socket.end();
  }
  await closed;
  return Buffer.concat(parts);
}

async function writeChunks(socket: Socket, sent: Buffer, piecesBytes: number): Promise<void> {
  const mostPieces = 20;
  const size = Math.max(piecesBytes, Math.ceil(sent.length / mostPieces));
  for (let at = 0; at < sent.length && !socket.destroyed; at += size) {
    const piece = sent.subarray(at, at + size);
    await new Promise<void>((resolve) => {
      socket.write(piece, () => resolve());
    });
  }
}

/** Whole, in the protocol of the one who asked, and no longer than a front end can take. */
function checkReply(received: Buffer, { sent, reply }: Exchange, isTooLarge: boolean): readonly string[] {
  const isCurrent = sent.toString('latin1').startsWith('polycloud/2 ');
  const start = isCurrent ? 'polycloud/2\n' : 'polycloud/1 ';
  const usual = `${start}${reply.outcome}\n${reply.text}\nend\n`;
  const declined = new RegExp(`^${start}decline\\n[\\w ]+\\nend\\n$`);
  const text = received.toString('utf8');
  const isDeclined = isTooLarge || Buffer.byteLength(usual) >= brokerLimits.answerBytes;
  return [
    ...(received.length < brokerLimits.answerBytes ? [] : [`a reply of ${received.length} bytes`]),
    ...((isDeclined ? declined.test(text) : text === usual)
      ? []
      : [`not the reply that was to come: ${JSON.stringify(text.slice(0, 200))}`]),
  ];
}

/** Nothing is kept of a connection that is over. */
async function checkOpenConnections(opened: BrokerFixture): Promise<readonly string[]> {
  const turnsMax = 100_000;
  for (let turn = 0; turn < turnsMax && opened.closed < opened.opened; turn += 1) {
    await nextTick();
  }
  if (opened.closed < opened.opened) {
    return ['a connection stays open'];
  }
  const { count } = opened.held;
  opened.held.count = 0;
  return count === 0 ? [] : [`${count} bytes are held for nobody`];
}

function nextTick(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Read a second time: version, one name, a line end, and whatever follows. */
function checkRequest(text: string, { parse }: BrokerParser): readonly string[] {
  const { baseName, request } = /^polycloud\/[12] (?<baseName>[^ \n]+)\n(?<request>[^]*)$/.exec(text)?.groups ?? {};
  const second = baseName === undefined ? undefined : { baseName, request };
  const first = parse(text);
  return isDeepStrictEqual(first, second)
    ? []
    : [`${JSON.stringify(text.slice(0, 200))} is read as ${JSON.stringify(first ?? null).slice(0, 200)}`];
}

const real: BrokerParser = { speak: handleConnection, parse: parseBrokerRequest };

export const brokerWire: FuzzTarget = {
  name: 'broker wire',
  runCase: caseWith(real),
  ends: ['whole', 'leaves', 'too large'],
  planted: {
    'bytes are lost from the count': caseWith({
      ...real,
      speak: (socket, answer, held) => {
        held.count += 1;
        handleConnection(socket, answer, held);
      },
    }),
    'the answer comes in another protocol': caseWith({
      ...real,
      speak: (socket, answer, held) => {
        socket.write('polycloud/1 ');
        handleConnection(socket, answer, held);
      },
    }),
    'any name will do': caseWith({
      ...real,
      parse: (text) => parseBrokerRequest(text.replace(/^(polycloud\/1 \S+) [^\n]*/, '$1')),
    }),
  },
  close: async () => {
    const opened = await stage;
    opened?.server.close();
    if (opened !== undefined) {
      await rm(opened.directory, { recursive: true });
    }
  },
};
