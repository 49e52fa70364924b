import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import { callSocket } from '../../lab/openstack/api.ts';
import type { ApiRequest, ApiResponse } from '../../lab/openstack/api.ts';
import { logInAs } from '../../lab/openstack/identity.ts';
import { socketOf } from '../../lab/openstack/services.ts';
import { addMachine } from './world.ts';
import type { OpenStackWorld } from './world.ts';

/** What the controller relies on, asked of the services themselves. */
export async function testServices(t: Test, world: OpenStackWorld): Promise<void> {
  await t.test('the services behave as the controller assumes', async (t) => {
    const { cloud, cluster } = world;
    const prefix = `services${randomUUID().slice(0, 8)}`;
    const machine = await addMachine(world, cluster, { name: `${prefix}-a`, withFloatingIp: true });
    const other = await addMachine(world, cluster, { name: `${prefix}-b` });
    const token = await logInAs(cloud.directory, cluster.user);
    const ask = (path: string, given = token): Promise<ApiResponse> => {
      const headers = { 'x-auth-token': given, 'openstack-api-version': 'compute 2.60' };
      const request: ApiRequest = { method: 'GET', path: `/v2.1${path}`, headers };
      return callSocket(socketOf(cloud.directory, 'nova'), request);
    };

    const unknown = await ask(`/servers/${randomUUID()}`);
    t.match(unknown, { status: 404, body: /^\{"itemNotFound": \{"code": 404,/ });
    t.equal((await ask(`/servers/${machine.id}`, 'no token')).status, 401);

    const found = JSON.parse((await ask(`/servers/${machine.id}`)).body) as { server: Record<string, unknown> };
    t.match(found.server, { status: 'ACTIVE', flavor: { original_name: 'm1.small' } });
    t.match(found.server['addresses'], {
      nodes: [{ addr: machine.port.addresses[0] }, { addr: machine.floatingIp, 'OS-EXT-IPS:type': 'floating' }],
    });

    const names = async (filter: string): Promise<readonly string[]> => {
      const { body } = await ask(`/servers/detail?name=${encodeURIComponent(filter)}`);
      return (JSON.parse(body) as { servers: { name: string }[] }).servers.map(({ name }) => name).toSorted();
    };
    t.same(await names(`${prefix}-.`), [`${prefix}-a`, `${prefix}-b`], 'a name is a pattern');
    t.same(await names(`^${prefix}-a$`), [`${prefix}-a`], 'unless it has both anchors');

    await cloud.servers.delete(other.id);
    t.equal((await ask(`/servers/${other.id}`)).status, 404);
  });
}
