import type { Context } from '../context.ts';
import type { Host } from '../host.ts';

/** How a machine of a cloud is recognised. */
export interface MachineFingerprint {
  /** Patterns of the firmware's texts, by file name below /sys/class/dmi/id. */
  readonly firmware: Readonly<Record<string, RegExp>>;
  /** Whether the metadata address responds like the service of this cloud. May throw if it does not. */
  metadataResponds(context: Context): Promise<boolean>;
}

/** Enough for a local service. Without one, detection of the next cloud waits for this. */
const metadataTimeoutMs = 3_000;

/** Firmware first: it is readable while the metadata service is down. Only another vendor in it means `no`. */
export async function detectMachine(
  { firmware, metadataResponds }: MachineFingerprint,
  host: Pick<Host, 'readText'>,
  context: Context,
): Promise<'yes' | 'no' | 'unknown'> {
  const firmwareTexts = await readFirmware(['sys_vendor', ...Object.keys(firmware)], host);
  if (Object.entries(firmware).some(([name, pattern]) => pattern.test(firmwareTexts[name] ?? ''))) return 'yes';
  if (await withinMetadataTimeout(metadataResponds, context).catch(() => false)) return 'yes';
  return firmwareTexts['sys_vendor'] ? 'no' : 'unknown';
}

/** The firmware's texts, by file name below /sys/class/dmi/id. A text that is absent is empty. */
export async function readFirmware(
  names: readonly string[],
  host: Pick<Host, 'readText'>,
): Promise<Readonly<Record<string, string>>> {
  const read = names.map(async (name) => {
    // A file that cannot be read counts as absent. Then the metadata service decides.
    const text = await host.readText(`/sys/class/dmi/id/${name}`).catch(() => undefined);
    return [name, text?.trim() ?? ''] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** The limit also holds for a service that accepts the connection and does not respond. */
export async function withinMetadataTimeout<T>(ask: (limited: Context) => Promise<T>, context: Context): Promise<T> {
  const deadlineAtMs = Math.min(context.deadlineAtMs, context.clock.monotonicMs() + metadataTimeoutMs);
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(metadataTimeoutMs)]);
  return ask({ ...context, deadlineAtMs, signal });
}
