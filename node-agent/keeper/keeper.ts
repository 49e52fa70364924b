import type { Context } from '../../clouds/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { NodeWriter } from '../../lib/node/node-writer.ts';
import { isOlder } from '../../lib/node/still.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { OwnCloud } from '../detect.ts';
import type { Measures } from '../measures.ts';
import { urgencyOf } from './interest.ts';
import type { News } from './news.ts';
import { newStanding } from './standing.ts';
import type { Standing } from './standing.ts';
import { waitAfter } from './timetable.ts';
import type { TurnLog } from './turn-log.ts';
import { takeTurn } from './turn.ts';
import type { Turn } from './turn.ts';

/** Keeps one Node true to the machine it is. */
export interface Keeper {
  /** The Node is there, or has changed. */
  see(node: Node): void;
  /** It is no longer there. */
  forget(): void;
  /** Until the signal ends it; whatever fails is tried again. */
  run(signal: AbortSignal): Promise<void>;
  readonly standing: Readonly<Standing>;
}

export interface KeeperParts {
  readonly readEveryMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly news: News;
  readonly logTurn: TurnLog;
  readonly measures: Measures;
  writerFor(signal: AbortSignal): NodeWriter;
  findCloud(context: Context): Promise<OwnCloud>;
  contextFor(signal: AbortSignal): Context;
}

/** Somebody who undoes our work as fast as we do it is not to be answered as fast. */
const repairSpacingMs = 5_000;
const shortestSleepMs = 10;

export function createKeeper(parts: KeeperParts): Keeper {
  const { clock } = parts;
  const standing = newStanding(clock.monotonicMs());
  let dueAtMs = 0;
  let wake = (): void => {};
  const dueBy = (atMs: number): void => {
    dueAtMs = Math.min(dueAtMs, atMs);
    wake();
  };

  async function sleepUntilDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (standing.node === undefined || clock.monotonicMs() < dueAtMs)) {
      const woken = new AbortController();
      wake = () => woken.abort(new Error('woken'));
      const leftMs = standing.node === undefined ? parts.readEveryMs : dueAtMs - clock.monotonicMs();
      const either = AbortSignal.any([signal, woken.signal]);
      await clock.sleep(Math.max(shortestSleepMs, leftMs), either).catch(() => undefined);
      standing.beatAtMs = clock.monotonicMs();
    }
  }

  return {
    standing,
    see: (node) => {
      const before = standing.node;
      if (before?.metadata.uid === node.metadata.uid && isOlder(node, before)) return;
      standing.node = node;
      const urgency = urgencyOf(node, before, standing);
      if (urgency === 'now') dueBy(clock.monotonicMs());
      if (urgency === 'soon') dueBy(clock.monotonicMs() + repairSpacingMs);
    },
    forget: () => {
      standing.node = undefined;
    },
    run: async (signal) => {
      await sleepUntilDue(signal);
      while (!signal.aborted) {
        dueAtMs = Infinity;
        const turn = await oneTurn(standing, parts, signal);
        if (turn !== undefined) dueBy(clock.monotonicMs() + waitAfter(turn, standing.failures, parts));
        await sleepUntilDue(signal);
      }
    },
  };
}

async function oneTurn(standing: Standing, parts: KeeperParts, signal: AbortSignal): Promise<Turn | undefined> {
  const { node } = standing;
  if (node === undefined) return undefined;
  const turn = await takeTurn(node, turnParts(standing, parts, signal), parts.contextFor(signal));
  if (signal.aborted) return undefined;
  standing.turn = turn;
  standing.failures = turn.kind === 'failed' ? standing.failures + 1 : 0;
  await settle(turn, node, standing, parts);
  return turn;
}

function turnParts(standing: Standing, parts: KeeperParts, signal: AbortSignal): Parameters<typeof takeTurn>[1] {
  const { measures, clock } = parts;
  return {
    writer: parts.writerFor(signal),
    cloud: async (context) => (standing.cloud ??= await parts.findCloud(context)),
    learnt: (instance) => {
      standing.instance = instance;
      standing.readAtMs = clock.monotonicMs();
      measures.read('success');
    },
    couldNotRead: () => measures.read('error'),
  };
}

async function settle(
  turn: Turn,
  node: Node,
  standing: Standing,
  { news, logTurn, measures, clock }: KeeperParts,
): Promise<void> {
  if (turn.kind === 'failed') return news.trouble(node, turn);
  if (turn.kind === 'replaced') return;
  news.allIsWell(node);
  logTurn(node, standing.cloud?.name, turn);
  if (turn.kind !== 'true') return;
  keepNewer(standing, turn.node);
  measures.made(turn.writes, clock.wallMs());
  if (!turn.isNew) return;
  measures.initialized(clock.wallMs() - Date.parse(node.metadata.creationTimestamp));
  await news.tell(node, { type: 'Normal', reason: 'Synced', message: 'Node synced successfully' });
}

/** The watch may have told of a later version already, or of another Node. */
function keepNewer(standing: Standing, written: Node): void {
  const { node } = standing;
  if (node?.metadata.uid === written.metadata.uid && !isOlder(written, node)) standing.node = written;
}
