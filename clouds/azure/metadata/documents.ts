import { Failure } from '../../../lib/failure.ts';
import { bodyText } from '../../../lib/http/ask.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import { parseJson } from '../../../lib/json.ts';
import { retry } from '../../../lib/retry.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { metadataFailure } from '../errors.ts';
import { LoadBalancerDocument } from '../schemas.ts';
import type { PublicAddress } from '../schemas.ts';
import { askMetadata, metadataService } from './session.ts';

/** https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service */
export const instancePath = '/metadata/instance?api-version=2021-10-01&format=json';
/** https://learn.microsoft.com/azure/load-balancer/howto-load-balancer-imds */
const loadBalancerPath = '/metadata/loadbalancer?api-version=2020-10-01&format=json';

const policy = { attempts: 4, firstWaitMs: 200, maxWaitMs: 2_000 };
/** A Node does not wait for its public addresses: they are read again soon. */
const loadBalancerTotalMs = 1_000;

/** The text of the instance document. Throws a `Failure` if it cannot be read. */
export async function readInstanceDocument(env: Environment, context: Context): Promise<string> {
  const read = async (): Promise<string> => {
    const response = await askMetadata(instancePath, env, context);
    if (response.status === 200) return bodyText(response);
    throw metadataFailure(response, { target: metadataService, as: 'this machine' }, context.clock.wallMs());
  };
  return retry(read, policy, context);
}

export type PublicAddresses = { readonly status: 'read'; readonly addresses: readonly PublicAddress[] } | Unread;
interface Unread {
  readonly status: 'unread';
}

/** The public addresses of the Standard SKU are only here. Never throws for what the service does. */
export async function readPublicAddresses(env: Environment, context: Context): Promise<PublicAddresses> {
  try {
    const response = await askMetadata(loadBalancerPath, env, context, { totalMs: loadBalancerTotalMs });
    const read = parsePublicAddresses(response);
    if (read.status === 'unread') {
      context.log.debug(`public addresses could not be read: HTTP ${response.status} for the load balancer metadata`);
    }
    return read;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    context.log.debug(`public addresses could not be read: ${error.message}`);
    return { status: 'unread' };
  }
}

/**
 * Only one of the reasons for a 404 means that there are none. The others pass.
 * https://learn.microsoft.com/azure/load-balancer/troubleshoot-load-balancer-imds
 */
const noneFound = /no load balancer metadata is found/i;

export function parsePublicAddresses(response: HttpResponse): PublicAddresses {
  const text = bodyText(response);
  if (response.status === 404 && noneFound.test(text)) return { status: 'read', addresses: [] };
  if (response.status !== 200) return { status: 'unread' };
  const parsed = LoadBalancerDocument.safeParse(parseJson(text));
  if (!parsed.success) return { status: 'unread' };
  return { status: 'read', addresses: parsed.data.loadbalancer.publicIpAddresses ?? [] };
}
