import type { Context } from '../context.ts';
import type { Host } from '../host.ts';

/** By what a cloud's machines are known. */
export interface MachineFingerprint {
  /** What the firmware says, by file below /sys/class/dmi/id. */
  readonly firmware: Readonly<Record<string, RegExp>>;
  /** Does what answers at the metadata address answer as this cloud's does? May throw when it does not. */
  metadataResponds(context: Context): Promise<boolean>;
}

/** Enough for a service on the same machine; where there is none, other clouds wait for this. */
const metadataTimeoutMs = 3_000;

/** The firmware first: it can be read when the metadata service is down. Only another vendor's word there means "no". */
export async function detectMachine(
  { firmware, metadataResponds }: MachineFingerprint,
  host: Pick<Host, 'readText'>,
  context: Context,
): Promise<'yes' | 'no' | 'unknown'> {
  const firmwareTexts = await readFirmware(['sys_vendor', ...Object.keys(firmware)], host);
  if (Object.entries(firmware).some(([name, pattern]) => pattern.test(firmwareTexts[name] ?? ''))) return 'yes';
  if (await respondsInTime(metadataResponds, context)) return 'yes';
  return firmwareTexts['sys_vendor'] ? 'no' : 'unknown';
}

async function readFirmware(
  names: readonly string[],
  host: Pick<Host, 'readText'>,
): Promise<Readonly<Record<string, string>>> {
  const read = names.map(async (name) => {
    // A file that may not be read says as little as one that is not there: the next sign is asked.
    const text = await host.readText(`/sys/class/dmi/id/${name}`).catch(() => undefined);
    return [name, text?.trim() ?? ''] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** One that takes the connection and is silent holds nobody longer either. */
async function respondsInTime(
  metadataResponds: MachineFingerprint['metadataResponds'],
  context: Context,
): Promise<boolean> {
  const deadlineAtMs = Math.min(context.deadlineAtMs, context.clock.monotonicMs() + metadataTimeoutMs);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(metadataTimeoutMs)]);
  return metadataResponds({ ...context, deadlineAtMs, signal }).catch(() => false);
}
