import type { NodeRecord } from '../lifecycle/record.ts';
import { createReport } from '../lifecycle/report.ts';
import type { Report } from '../lifecycle/report.ts';
import { permissionOf } from '../lifecycle/permission.ts';
import { wordFor } from '../lifecycle/scope.ts';
import type { ScopeRecord } from '../lifecycle/scope.ts';
import type { LifecycleSettings } from '../lifecycle/settings.ts';

/** What a Node has to say about the breaker that keeps it, and the word in it. */
export interface BreakerNews {
  readonly word: string;
  readonly report: Report;
}

export interface Told {
  readonly record: NodeRecord;
  /** Absent: none that this leader knows of. */
  readonly word: string | undefined;
}

/** With every further Node that goes missing the word is another one; the Node has to name the one that is good now. */
export function breakerNews(
  { record, word: toldWord }: Told,
  scope: ScopeRecord,
  settings: LifecycleSettings,
  nowMs: number,
): BreakerNews | undefined {
  if (record.reported !== 'DeletionsStopped' || !scope.open) return undefined;
  const word = wordFor(scope);
  if (word === toldWord) return undefined;
  const { given, reason } = permissionOf(scope, { uid: record.uid, word: 'not-found' }, settings, nowMs);
  if (given) return undefined;
  return { word, report: createReport('DeletionsStopped', reason) };
}
