import t from 'tap';
import { serverFleetOf } from '../../../lab/clouds/openstack/server.ts';
import { labProjectId } from '../../../lab/clouds/openstack/state.ts';
import { limitedContext } from '../../limited-context.ts';
import { nodeOf, nodeWith, ownScope, startOpenstackLab } from '../openstack-lab.ts';

const { lab, instances: create, context } = await startOpenstackLab(t);
const fleet = serverFleetOf({ count: 200, projectId: labProjectId, number: 0 });
const verify = Object.values(fleet.servers).slice(0, 5).map(nodeOf);
const lookupTimeMs = 30_000;
const goneIds = Array.from({ length: 400 }, (_each, at) => `d0000000-0000-4000-8000-${String(at).padStart(12, '0')}`);

await t.test('if all servers of a batch are missing, there is time for 100 of them and for `verify`', async (t) => {
  await lab.update({ ...fleet, behaviour: { pageMax: 100 } });
  const instances = create({});
  const nodes = goneIds.slice(0, instances.batchMax).map((id) => nodeWith(`openstack:///${id}`));
  const { full, nowMs } = limitedContext(context(), lookupTimeMs);
  const results = await instances.lookUp(ownScope, { nodes, verify }, full);
  const statuses = nodes.map(({ uid }) => results.get(uid)?.status);
  t.equal(statuses.filter((status) => status === 'not-found').length, 100);
  t.equal(statuses.filter((status) => status === 'unknown').length, instances.batchMax - 100);
  for (const { uid } of verify) t.match(results.get(uid), { status: 'running', by: 'id' });
  t.ok(nowMs() > 20_000 && nowMs() < lookupTimeMs, `${nowMs()} ms`);
});

await t.test('each of them is asked for in one of the next look-ups', async (t) => {
  const instances = create({});
  const nodes = goneIds.slice(0, instances.batchMax).map((id) => nodeWith(`openstack:///${id}`));
  const asked = new Set<string>();
  for (const random of [0, 0.4, 0.8]) {
    const results = await instances.lookUp(ownScope, { nodes, verify }, { ...context(), random: () => random });
    for (const [uid, { status }] of results) if (status === 'not-found') asked.add(uid);
  }
  t.equal(asked.size, instances.batchMax);
});
