import type { Test } from 'tap';
import type { Notice, NoticePoll } from '../../clouds/cloud.ts';
import { Failure } from '../../lib/failure.ts';
import type { FakeClock } from '../clocks/fake-clock.ts';

/** A metadata service of the cloud under test, with no notice at first. */
export interface NoticeService {
  readonly clock: FakeClock;
  poll(cursor: unknown): Promise<NoticePoll>;
  announce(): void;
  withdraw(): void;
  /** Every request fails from now on. */
  fail(): void;
  recover(): void;
}

/** What the notices of every cloud promise. */
export async function runNoticeConformance(t: Test, start: () => NoticeService): Promise<void> {
  await t.test('without a notice there is none, and the next poll comes soon', async (t) => {
    const poll = await start().poll(undefined);
    t.match(poll, { notices: [], unread: [] });
    t.ok(poll.waitMs >= 0 && poll.waitMs <= 60_000);
  });

  await t.test('a notice has the same id in each poll, also for an agent that has just started', async (t) => {
    const service = start();
    service.announce();
    const first = await service.poll(undefined);
    t.ok(first.notices.length > 0);
    for (const notice of first.notices) checkNotice(t, notice);
    await service.clock.advance(60_000);
    const ids = first.notices.map(({ id }) => id);
    t.strictSame(idsOf(await service.poll(first.cursor)), ids);
    t.strictSame(idsOf(await service.poll(undefined)), ids);
    t.equal(new Set(ids).size, ids.length);
  });

  await t.test('a notice that is withdrawn is no longer listed', async (t) => {
    const service = start();
    service.announce();
    let { cursor } = await service.poll(undefined);
    service.withdraw();
    await service.clock.advance(60_000);
    const poll = await service.poll(cursor);
    t.match(poll, { notices: [], unread: [] });
    ({ cursor } = poll);
    service.announce();
    await service.clock.advance(60_000);
    t.ok((await service.poll(cursor)).notices.length > 0, 'and may come again');
  });

  await t.test('a service that fails is no withdrawal, and a notice waits when it is back', async (t) => {
    const service = start();
    const { cursor } = await service.poll(undefined);
    service.fail();
    await service.clock.advance(60_000);
    const failed = await service.poll(cursor).catch((error: unknown) => error);
    if (failed instanceof Failure) t.not(failed.remedy, '');
    else t.ok((failed as NoticePoll).unread.length > 0);
    service.announce();
    service.recover();
    await service.clock.advance(120_000);
    const next = failed instanceof Failure ? cursor : (failed as NoticePoll).cursor;
    t.ok((await service.poll(next)).notices.length > 0);
  });
}

function checkNotice(t: Test, { id, source, vendorText, atMs }: Notice): void {
  for (const text of [id, source, vendorText]) t.not(text, '');
  t.ok(atMs === undefined || Number.isFinite(atMs));
}

function idsOf({ notices }: NoticePoll): readonly string[] {
  return notices.map(({ id }) => id);
}
