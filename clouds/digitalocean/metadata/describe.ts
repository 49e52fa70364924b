import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { ask, bodyText } from '../../../lib/http/ask.ts';
import { statusFailure } from '../../../lib/http/status-failure.ts';
import { parseJson } from '../../../lib/json.ts';
import { retry } from '../../../lib/retry.ts';
import type { Instance } from '../../cloud.ts';
import { toInstance } from '../droplet.ts';
import type { DropletDescription } from '../droplet.ts';
import { DropletMetadata } from '../schemas.ts';

/** It holds the user data too, so nothing of it is quoted. https://docs.digitalocean.com/reference/api/metadata/ */
const documentUrl = new URL('http://169.254.169.254/metadata/v1.json');
const metadataService = 'the metadata service';
/** It is on the same machine, so it responds within milliseconds or not at all. */
const limits = { connectMs: 1_000, totalMs: 5_000 };
const policy = { attempts: 4, firstWaitMs: 200, maxWaitMs: 2_000 };

/** Everything that a Node needs but the size, which the metadata does not have. */
export async function describeInstance(context: Context): Promise<Instance> {
  return toInstance(parseDocument(await retry(() => readDocument(context), policy, context)));
}

/** The text of the document, by a single attempt. */
export async function readDocument(context: Context): Promise<string> {
  const target = `${metadataService} at ${documentUrl.host}`;
  const request = { target, method: 'GET', url: documentUrl, route: 'direct', limits, remedyIfUnreachable } as const;
  const response = await ask(request, context);
  if (response.status === 200) return bodyText(response);
  throw statusFailure(metadataService, response, context.clock.wallMs());
}

const remedyIfUnreachable = 'let this node reach it, which only a Droplet can';

/** Pure. */
export function parseDocument(text: string): DropletDescription {
  const parsed = DropletMetadata.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new Failure(
      'invalid-response',
      `${metadataService} answered with something that is not a Droplet's document`,
      {
        remedy: 'check that nothing else answers in its place',
      },
    );
  }
  const { droplet_id: id, region, interfaces } = parsed.data;
  const [firstPrivate, firstPublic] = [interfaces.private[0], interfaces.public[0]];
  return {
    dropletId: String(id),
    size: undefined,
    region,
    vpcId: undefined,
    privateIpv4: firstPrivate?.ipv4?.ip_address,
    publicIpv4: firstPublic?.ipv4?.ip_address,
    publicIpv6: firstPublic?.ipv6?.ip_address,
  };
}
