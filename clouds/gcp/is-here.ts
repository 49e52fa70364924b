import type { Host } from '../../lib/host.ts';
import type { Context, Environment } from '../cloud.ts';
import { readMetadata } from './metadata.ts';
import { instanceIdForm } from './parse-self.ts';

export interface Machine {
  readonly env: Environment;
  readonly host: Pick<Host, 'readText'>;
}

/** What the firmware of Compute Engine's machines says. https://cloud.google.com/compute/docs/instances/detect-compute-engine */
const signs: Readonly<Record<string, RegExp>> = {
  product_name: /^Google Compute Engine$/,
  sys_vendor: /^Google$/,
  bios_vendor: /^Google$/,
};

/** Enough for a service on the same machine; where there is none, other clouds wait for this. */
const longestAskMs = 3_000;

/** The firmware first: it can be read when the metadata server is down. Only another vendor's word there means "no". */
export async function isHere({ env, host }: Machine, context: Context): Promise<'yes' | 'no' | 'unknown'> {
  const firmware = await readFirmware(host);
  if (Object.entries(signs).some(([name, form]) => form.test(firmware[name] ?? ''))) return 'yes';
  if (await answersAsOurs(env, context)) return 'yes';
  return firmware['sys_vendor'] ? 'no' : 'unknown';
}

async function readFirmware(host: Machine['host']): Promise<Readonly<Record<string, string>>> {
  const read = Object.keys(signs).map(async (name) => {
    // A file that may not be read says as little as one that is not there: the next sign is asked.
    const text = await host.readText(`/sys/class/dmi/id/${name}`).catch(() => undefined);
    return [name, text?.trim() ?? ''] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

async function answersAsOurs(env: Environment, context: Context): Promise<boolean> {
  const deadlineAtMs = Math.min(context.deadlineAtMs, context.clock.monotonicMs() + longestAskMs);
  try {
    return instanceIdForm.test((await readMetadata('instance/id', env, { ...context, deadlineAtMs })) ?? '');
  } catch {
    return false;
  }
}
