import t from 'tap';
import { systemClock } from '../../../../lib/clock.ts';
import { kubeconfigAccess } from '../../../../lib/kubernetes/access/kubeconfig-access.ts';
import { createClient } from '../../../../lib/kubernetes/client.ts';
import { defaultLimits } from '../../../../lib/kubernetes/open-client.ts';
import { clusterKeys } from '../../../../node-agent/broker/tokens/cluster-keys.ts';
import type { ClusterKeys } from '../../../../node-agent/broker/tokens/cluster-keys.ts';
import { verifyToken } from '../../../../node-agent/broker/tokens/verify-token.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import { sharedControlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { requires } from '../../../lab/requires.ts';

const audiences = ['sts.amazonaws.com'];
const expirationSeconds = 3_600;

await t.test('tokens of a real cluster', requires(await findPrograms()), async (t) => {
  const plane = await sharedControlPlaneFor(t);
  for (const name of ['agent', 'puller']) {
    await plane.kubectl(['create', 'serviceaccount', name, '--namespace=default']);
  }
  const puller = { namespace: 'default', name: 'puller' };
  const token = await plane.tokenFor(puller, { audiences, expirationSeconds });

  /** As the agent is seen there. Each has learnt nothing yet. */
  const keysForAgent = async (): Promise<ClusterKeys> => {
    const own = await plane.tokenFor({ namespace: 'default', name: 'agent' }, { audiences: [], expirationSeconds });
    const access = kubeconfigAccess(await plane.kubeconfigWithToken(own), { env: process.env, clock: systemClock });
    const client = createClient({
      access,
      userAgent: 'test',
      limits: defaultLimits,
      clock: systemClock,
      random: Math.random,
    });
    t.teardown(() => client.close());
    return clusterKeys({ client, clock: systemClock });
  };

  await t.test('an agent without permission to read the keys trusts no token', async (t) => {
    await plane.kubectl(['delete', 'clusterrolebinding', 'system:service-account-issuer-discovery']);
    t.equal(await verifyToken(token, await keysForAgent(), Date.now()), undefined);
  });

  await t.test('one that may knows whose token it is', async (t) => {
    const role = '--clusterrole=system:service-account-issuer-discovery';
    await plane.kubectl(['create', 'clusterrolebinding', 'agent', role, '--serviceaccount=default:agent']);
    const keys = await keysForAgent();
    const uid = await plane.kubectl(['get', 'serviceaccount', 'puller', '--output=jsonpath={.metadata.uid}']);
    const owner = await verifyToken(token, keys, Date.now());
    t.match(owner, { audiences, namespace: 'default', serviceAccount: 'puller', serviceAccountUid: uid });
    t.equal(await verifyToken(token, keys, Date.now() + expirationSeconds * 1_000), undefined, 'until it ends');
    const [head, body, signature = ''] = token.split('.');
    const altered = `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
    t.equal(await verifyToken(altered, keys, Date.now()), undefined);
  });
});
