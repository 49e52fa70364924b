import { parseArgs } from 'node:util';
import { systemClock } from '../../../../lib/clock.ts';
import { kubeconfigAccess } from '../../../../lib/kubernetes/access/kubeconfig-access.ts';
import { createClient } from '../../../../lib/kubernetes/client.ts';
import { defaultLimits } from '../../../../lib/kubernetes/open-client.ts';
import { nodes } from '../../../../lib/kubernetes/resources.ts';

// Does what the bench is to find: asks for each instance alone, takes the taint away first, and writes all things twice.
const { values } = parseArgs({ options: { kubeconfig: { type: 'string' }, ec2: { type: 'string' } } });
const access = kubeconfigAccess(values.kubeconfig ?? '', { env: {}, clock: systemClock });
const client = createClient({
  access,
  userAgent: 'careless/1',
  limits: defaultLimits,
  clock: systemClock,
  random: Math.random,
});
const { signal } = new AbortController();
const addresses = [{ type: 'InternalIP', address: '10.0.0.1' }];
const { items } = await client.list(nodes, {}, signal);
for (const { metadata } of items) {
  await fetch(values.ec2 ?? '', { method: 'POST', body: 'Action=DescribeInstances&Version=2016-11-15' });
  for (let time = 0; time < 2; time += 1) {
    await client.patch(nodes, { name: metadata.name }, { type: 'merge', body: { spec: { taints: [] } } }, signal);
    const status = { addresses, phase: String(time) };
    await client.patch(
      nodes,
      { name: metadata.name, subresource: 'status' },
      { type: 'merge', body: { status } },
      signal,
    );
  }
}
setInterval(() => undefined, 1_000_000);
