import t from 'tap';
import type { NoticePoll } from '../../../../clouds/cloud.ts';
import type { Context } from '../../../../lib/context.ts';
import type { HttpResponse } from '../../../../lib/http/http.ts';
import { createHeartbeat } from '../../../../node-agent/interruption/heartbeat.ts';
import { pollForever } from '../../../../node-agent/interruption/poll-loop.ts';
import type { FakeClock } from '../../../clocks/fake-clock.ts';
import { unusedContext } from '../../../clouds/contexts.ts';
import { logInto } from '../../../support/logs.ts';
import { drainPod } from '../drain/pods.ts';
import { createMachine, markText } from '../harness.ts';
import type { Machine, RunningAgent } from '../harness.ts';

/** What the metadata service returns from these seconds on, by path. `undefined`: no value; `hangs`: no response. */
export type Script = Readonly<Record<number, Readonly<Record<string, Answer>>>>;
export type Answer = string | { readonly status: number; readonly text: string } | undefined;

export interface ReplayRow {
  readonly script: Script;
  /** Marks, evictions, deletions and approvals: the second, and what is new. */
  readonly expected: readonly string[];
  readonly forSeconds?: number;
}

export interface ReplayedCloud {
  poll(cursor: unknown, context: Context): Promise<NoticePoll>;
  /** The cloud wants to know when the instance is ready. */
  readonly approves?: true;
  /** Makes the HTTP side of the metadata service. */
  serve(answers: ReadonlyMap<string, Answer>, clock: FakeClock, changed: () => Promise<void>): Context['http']['send'];
}

/** Replays each row through the parser of the cloud, the poll loop, the decisions and the drain. */
export async function replayAll(cloud: ReplayedCloud, rows: Readonly<Record<string, ReplayRow>>): Promise<void> {
  for (const [what, row] of Object.entries(rows)) {
    await t.test(what, async (t) => t.strictSame(await replay(cloud, row), row.expected));
  }
}

/** The pod `web` goes within 30 s. A budget protects `shut` throughout. */
async function replay(cloud: ReplayedCloud, { script, forSeconds = 130 }: ReplayRow): Promise<readonly string[]> {
  const machine = createMachine([drainPod('web'), drainPod('shut')]);
  machine.pods.refuses.set('shut', 'blocked');
  const agent = machine.startAgent();
  const answers = new Map<string, Answer>();
  let wake = Promise.withResolvers<undefined>();
  const send = cloud.serve(answers, machine.clock, () => wake.promise);
  const ending = new AbortController();
  const polling = startPolling(cloud, { machine, agent, send }, ending.signal);
  const timeline: string[] = [];
  let seen = snapshotOf(machine, cloud);
  for (let second = 0; second <= forSeconds; second++) {
    for (const [path, answer] of Object.entries(script[second] ?? {})) answers.set(path, answer);
    wake.resolve(undefined);
    wake = Promise.withResolvers();
    await machine.clock.advance(1_000);
    const now = snapshotOf(machine, cloud);
    for (const line of newsOf(seen, now)) timeline.push(`${String(second + 1)} ${line}`);
    seen = now;
  }
  ending.abort(new Error('the end'));
  await agent.stop();
  await polling;
  return timeline;
}

interface Parts {
  readonly machine: Machine;
  readonly agent: RunningAgent;
  readonly send: Context['http']['send'];
}

function startPolling(cloud: ReplayedCloud, { machine, agent, send }: Parts, signal: AbortSignal): Promise<void> {
  const { clock } = machine;
  const contextFor = (ended: AbortSignal): Context => ({ ...unusedContext, clock, http: { send }, signal: ended });
  return pollForever(
    {
      notices: { poll: (cursor, context) => cloud.poll(cursor, context) },
      clock,
      log: logInto(() => {}),
      heartbeat: createHeartbeat(clock),
      contextFor,
      onPoll: agent.loop.polled,
      onFailure: agent.loop.pollFailed,
    },
    signal,
  );
}

interface Snapshot {
  readonly marks: string;
  readonly accepted: readonly string[];
  readonly acknowledged: readonly string[];
}

function snapshotOf({ api, pods, acknowledged }: Machine, { approves }: ReplayedCloud): Snapshot {
  return { marks: markText(api.node), accepted: [...pods.accepted], acknowledged: approves ? [...acknowledged] : [] };
}

function newsOf(before: Snapshot, now: Snapshot): readonly string[] {
  const steps = now.accepted.slice(before.accepted.length).map((line) => line.split(' ').slice(1).join(' '));
  return [
    ...(before.marks === now.marks ? [] : [now.marks === '' ? 'no marks' : now.marks]),
    ...steps,
    ...now.acknowledged.slice(before.acknowledged.length).map((id) => `approve ${id}`),
  ];
}

export function toResponse(answer: Answer, headers: HttpResponse['headers'] = {}): HttpResponse {
  const { status, text } = typeof answer === 'object' ? answer : { status: 200, text: answer ?? '' };
  return { status: answer === undefined ? 404 : status, headers, body: Buffer.from(text) };
}
