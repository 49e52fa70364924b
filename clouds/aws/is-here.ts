import type { Host } from '../../lib/host.ts';
import type { Context, Environment } from '../cloud.ts';
import { openMetadata } from './metadata.ts';
import { ownInstanceIdForm } from './parse-self.ts';

export interface Machine {
  readonly env: Environment;
  readonly host: Pick<Host, 'readText'>;
}

/**
 * What the firmware of EC2's machines says; the older ones are Xen with a version of AWS's own.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/identify_ec2_instances.html
 */
const signs: Readonly<Record<string, RegExp>> = {
  sys_vendor: /^Amazon EC2$/,
  bios_vendor: /^Amazon EC2$/,
  board_asset_tag: ownInstanceIdForm,
  bios_version: /\.amazon$/i,
  product_version: /\.amazon$/i,
};

/** Enough for a service on the same machine; where there is none, other clouds wait for this. */
const longestAskMs = 3_000;

/** The firmware first: it can be read when the metadata service is down. Only another vendor's word there means "no". */
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

/** A session of version 2 and an instance's id: other clouds answer at this address too, and have neither. */
async function answersAsOurs(env: Environment, context: Context): Promise<boolean> {
  const deadlineAtMs = Math.min(context.deadlineAtMs, context.clock.monotonicMs() + longestAskMs);
  try {
    const metadata = await openMetadata(env, { ...context, deadlineAtMs });
    return ownInstanceIdForm.test((await metadata.read('meta-data/instance-id')) ?? '');
  } catch {
    return false;
  }
}
