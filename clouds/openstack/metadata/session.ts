import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { Host } from '../../../lib/host.ts';
import { ask, askInTurn, bodyText } from '../../../lib/http/ask.ts';
import { statusFailure } from '../../../lib/http/status-failure.ts';
import { retry } from '../../../lib/retry.ts';
import { defaultRouteInterfaces } from './default-route.ts';
import type { OpenstackMetadataTexts } from './documents.ts';

/** https://docs.openstack.org/nova/latest/user/metadata.html#the-metadata-service */
const paths: Readonly<Record<keyof OpenstackMetadataTexts, string>> = {
  metaData: 'openstack/latest/meta_data.json',
  networkData: 'openstack/latest/network_data.json',
  type: 'latest/meta-data/instance-type',
  localIpv4: 'latest/meta-data/local-ipv4',
  publicIpv4: 'latest/meta-data/public-ipv4',
};

interface ServiceAddress {
  readonly url: URL;
  /** The interface towards a link-local address. */
  readonly zone?: string;
}

const metadataService = "OpenStack's metadata service";
const ipv4Address: ServiceAddress = { url: new URL('http://169.254.169.254') };
const ipv6Url = new URL('http://[fe80::a9fe:a9fe]');
/** It connects at once, but Neutron passes the request on to Nova, which may have to ask its database. */
const limits = { connectMs: 1_000, totalMs: 10_000 };
const policy = { attempts: 4, firstWaitMs: 200, maxWaitMs: 2_000 };
const remedyIfUnreachable =
  'let this node reach it (with an isolated network: enable_isolated_metadata in Neutron), or mount the config drive and set openstack.configDrive';

/** Everything that a Node needs, each value by a request of its own. Throws a `Failure` if one cannot be read. */
export async function readService(host: Pick<Host, 'readText'>, context: Context): Promise<OpenstackMetadataTexts> {
  const addresses = await serviceAddresses(host);
  const read = Object.entries(paths).map(async ([key, path]) => {
    return [key, await retry(() => readOnce(path, addresses, context), policy, context)] as const;
  });
  return Object.fromEntries(await Promise.all(read)) as unknown as OpenstackMetadataTexts;
}

/** `meta_data.json`, by a single attempt. */
export async function readServiceMetaData(host: Pick<Host, 'readText'>, context: Context): Promise<string | undefined> {
  return readOnce(paths.metaData, await serviceAddresses(host), context);
}

/** The second address is for nodes with IPv6 only: https://docs.openstack.org/nova/latest/admin/metadata-service.html */
async function serviceAddresses(host: Pick<Host, 'readText'>): Promise<readonly [ServiceAddress, ...ServiceAddress[]]> {
  const zones = await defaultRouteInterfaces(host);
  return [ipv4Address, ...zones.map((zone) => ({ url: ipv6Url, zone }))];
}

/** `undefined`: the service has no such value. */
function readOnce(
  path: string,
  addresses: readonly [ServiceAddress, ...ServiceAddress[]],
  context: Context,
): Promise<string | undefined> {
  return askInTurn(addresses, async ({ url, zone }) => {
    const target = `${metadataService} at ${url.host}`;
    const options = { method: 'GET', route: 'direct', limits, remedyIfUnreachable } as const;
    const inZone = zone === undefined ? {} : { zone };
    const response = await ask({ target, ...options, url: new URL(path, url), ...inZone }, context);
    if (response.status === 200) return bodyText(response).trim();
    if (response.status === 404) return undefined;
    throw withOwnRemedy(statusFailure(metadataService, response, context.clock.wallMs()));
  });
}

/** Nova refuses a request that does not come through Neutron, which states and signs whose it is. */
function withOwnRemedy(failure: Failure): Failure {
  if (failure.kind !== 'denied') return failure;
  return new Failure('denied', failure.message, {
    remedy: 'check that Neutron’s metadata agent passes the request on, and that its shared secret is that of Nova',
  });
}
