import t from 'tap';
import { computeFleetOf } from '../../../lab/clouds/gcp/compute-instance.ts';
import { limitedContext } from '../../limited-context.ts';
import { nodeOf, nodeWith, ownScope, startComputeLab } from '../compute-lab.ts';

const { lab, instances: create, context } = await startComputeLab(t);
const zones = ['us-central1-a'];
const fleet = computeFleetOf({ count: 900, project: 'lab-project', zones, number: 0 });
const verify = Object.values(fleet).slice(0, 5).map(nodeOf);
const lookupTimeMs = 30_000;

await t.test(
  'a look-up in which every instance is missing has the time for all of them and for `verify`',
  async (t) => {
    await lab.update({ computeInstances: fleet, compute: { pageMax: 100 } });
    const instances = create({});
    const nodes = Array.from({ length: instances.batchMax }, (_each, index) =>
      nodeWith(`gce://lab-project/us-central1-a/gone-${index}`),
    );
    const { full, nowMs } = limitedContext(context(), lookupTimeMs);
    const results = await instances.lookUp(ownScope, { nodes, verify }, full);
    t.equal([...results.values()].filter(({ status }) => status === 'not-found').length, instances.batchMax);
    for (const { uid } of verify) t.match(results.get(uid), { status: 'running', by: 'id' });
    t.ok(nowMs() > 20_000 && nowMs() < lookupTimeMs, `${nowMs()} ms`);
  },
);
