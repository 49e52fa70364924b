import { parseArgs } from 'node:util';
import { systemClock } from '../../../../lib/clock.ts';
import { kubeconfigAccess } from '../../../../lib/kubernetes/access/kubeconfig-access.ts';
import { createClient } from '../../../../lib/kubernetes/client.ts';
import { defaultLimits } from '../../../../lib/kubernetes/open-client.ts';
import { pods } from '../../../../lib/kubernetes/resources.ts';

// Does what the bench is to find: initialises and cordons no Node, and asks one pod after the other, with pauses.
const options = { kubeconfig: { type: 'string' }, imds: { type: 'string' }, node: { type: 'string' } } as const;
const { values } = parseArgs({ options });
const { signal } = new AbortController();
const access = kubeconfigAccess(values.kubeconfig ?? '', { env: {}, clock: systemClock });
const times = { clock: systemClock, random: Math.random };
const client = createClient({ access, userAgent: 'careless/1', limits: defaultLimits, ...times });
const pauseMs = 200;

async function hasNotice(): Promise<boolean> {
  const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': '60' };
  const session = await fetch(`${values.imds}/latest/api/token`, { method: 'PUT', headers });
  const { status } = await fetch(`${values.imds}/latest/meta-data/spot/instance-action`, {
    headers: { 'x-aws-ec2-metadata-token': await session.text() },
  });
  return status === 200;
}

while (!(await hasNotice())) await systemClock.sleep(pauseMs, signal);
const { items } = await client.list(pods, { fieldSelector: `spec.nodeName=${values.node}` }, signal);
for (const { metadata } of items) {
  await systemClock.sleep(pauseMs, signal);
  await client.delete(pods, metadata, signal);
}
setInterval(() => undefined, 1_000_000);
