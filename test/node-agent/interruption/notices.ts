import type { KnownNotice } from '../../../node-agent/interruption/merge-notices.ts';
import { interruptionSettings } from '../../../node-agent/interruption/settings.ts';
import type { InterruptionSettings } from '../../../node-agent/interruption/settings.ts';

export const nowMs = Date.parse('2026-11-18T12:00:00Z');
export const secondMs = 1_000;
export const minuteMs = 60_000;

export const defaultSettings: InterruptionSettings = interruptionSettings('drain', 'aws', {});

export function notice(changes: Partial<KnownNotice>): KnownNotice {
  return {
    id: 'n-1',
    source: 'spot',
    effect: 'ends',
    state: 'announced',
    onlyThisInstance: true,
    vendorText: 'spot terminate',
    firstSeenAtMs: nowMs,
    ...changes,
  };
}
