import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Test } from 'tap';
import { startOpenstackLab } from '../../clouds/openstack/openstack-lab.ts';
import { labCredentialId, labCredentialSecret, labProjectId } from '../../lab/clouds/openstack/state.ts';
import { serverFleetOf } from '../../lab/clouds/openstack/server.ts';
import { shapeOf } from '../../lab/moto/shape.ts';
import { callSocket } from '../../lab/openstack/api.ts';
import type { ApiRequest, ApiResponse } from '../../lab/openstack/api.ts';
import { socketOf } from '../../lab/openstack/services.ts';
import { addMachine } from './world.ts';
import type { OpenStackWorld } from './world.ts';

/** What the requests name, on either side. */
interface Side {
  send(service: 'keystone' | 'nova' | 'neutron', request: ApiRequest): Promise<ApiResponse>;
  readonly credential: { readonly id: string; readonly secret: string };
  readonly serverId: string;
}

/** The embedded OpenStack, which most tests use, has no field and no status of its own. */
export async function testEmbedded(t: Test, world: OpenStackWorld): Promise<void> {
  await t.test('the embedded OpenStack responds like the real one', async (t) => {
    const [real, embedded] = [await responsesOf(await realSide(world)), await responsesOf(await embeddedSide(t))];
    for (const [name, ours] of Object.entries(embedded)) {
      const theirs = real[name] as ApiResponse;
      t.strictSame(statusAndKind(ours), statusAndKind(theirs), `${name}: status and content type`);
      const shape = shapeOf({ ...theirs, contentType: 'json' });
      const own = [...shapeOf({ ...ours, contentType: 'json' })];
      t.strictSame(
        own.filter(([path, kind]) => shape.get(path) !== kind && !isEither(kind, shape.get(path))),
        [],
        name,
      );
    }
  });
}

function statusAndKind({ status, headers }: ApiResponse): readonly unknown[] {
  return [status, headers['content-type']?.split(';')[0], headers['www-authenticate'] === undefined];
}

/** A text that may be left out is null. */
function isEither(kind: string, other: string | undefined): boolean {
  return other !== undefined && [kind, other].includes('object');
}

async function responsesOf(side: Side): Promise<Readonly<Record<string, ApiResponse>>> {
  const issued = await side.send('keystone', login(side, side.credential.secret));
  const token = String(issued.headers['x-subject-token']);
  const nova = (path: string, given = token): Promise<ApiResponse> =>
    side.send('nova', { method: 'GET', path: `/v2.1${path}`, headers: headersFor(given) });
  const neutron = (path: string, given = token): Promise<ApiResponse> =>
    side.send('neutron', { method: 'GET', path: `/v2.0${path}`, headers: headersFor(given) });
  return {
    'a token': issued,
    'a wrong secret': await side.send('keystone', login(side, 'wrong')),
    'no method': await side.send('keystone', { method: 'POST', path: '/v3/auth/tokens', body: {} }),
    'a server': await nova(`/servers/${side.serverId}`),
    'an unknown server': await nova('/servers/11111111-2222-4333-8444-555555555555'),
    'a page of servers': await nova('/servers/detail?limit=1'),
    'a marker of no server': await nova('/servers/detail?marker=11111111-2222-4333-8444-555555555555'),
    'servers with a name': await nova('/servers/detail?name=%5E(no-server)%24'),
    'a token that Nova does not accept': await nova(`/servers/${side.serverId}`, 'no token'),
    'ports of a server': await neutron(`/ports?device_id=${side.serverId}&device_id=another`),
    networks: await neutron('/networks'),
    'a token that Neutron does not accept': await neutron('/ports', 'no token'),
  };
}

function headersFor(token: string): Readonly<Record<string, string>> {
  return { 'x-auth-token': token, 'openstack-api-version': 'compute 2.60' };
}

function login({ credential }: Side, secret: string): ApiRequest {
  const application_credential = { id: credential.id, secret };
  const identity = { methods: ['application_credential'], application_credential };
  return { method: 'POST', path: '/v3/auth/tokens', body: { auth: { identity } } };
}

async function realSide(world: OpenStackWorld): Promise<Side> {
  const { cloud, cluster } = world;
  const machine = await addMachine(world, cluster, { name: 'compared', withFloatingIp: true, metadata: { a: 'b' } });
  return {
    send: (service, request) => callSocket(socketOf(cloud.directory, service), request),
    credential: cluster.reader,
    serverId: machine.id,
  };
}

async function embeddedSide(t: Test): Promise<Side> {
  const { lab } = await startOpenstackLab(t);
  const fleet = serverFleetOf({ count: 2, projectId: labProjectId, number: 1 });
  await lab.update({ ...fleet });
  return {
    send: (service, request) => callLoopback(lab.url(service), request),
    credential: { id: labCredentialId, secret: labCredentialSecret },
    serverId: Object.keys(fleet.servers)[0] ?? '',
  };
}

/** Its certificate is not what is compared. */
async function callLoopback(origin: string, { method, path, body, headers }: ApiRequest): Promise<ApiResponse> {
  const sent = httpRequest(new URL(path, origin), {
    method,
    headers: { 'content-type': 'application/json', ...headers },
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}
