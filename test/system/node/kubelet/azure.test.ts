import t from 'tap';
import { azureSite } from '../../../lab/clouds/azure/site.ts';
import {
  exchangeAudience,
  labTenant,
  objectIdOf,
  podIdentity,
  systemIdentity,
} from '../../../lab/clouds/azure/state.ts';
import type { LabRegistry } from '../../../lab/clouds/azure/state.ts';
import { requires } from '../../../lab/requires.ts';
import { createServiceAccount } from '../../../lab/node/audience.ts';
import { providerIdOf } from '../../../lab/node/azure-node.ts';
import { nodeFor } from '../../../lab/node/for-test.ts';
import { acrSite } from '../../../lab/node/registry/registry-site.ts';
import { nodeSupport } from '../../../lab/node/support.ts';
import { printedEntries } from './printed-entries.ts';
import { applyAudiences, checkFailureLine, checkNoSecrets, pull } from './pulling.ts';

// The kubelet keeps a login for a host, so each case has a registry of its own.
const nodeHosts = ['acme', 'denied', 'busy', 'lonely'].map((name) => `${name}.azurecr.io`);
const podHosts = ['pods', 'busypods', 'late'].map((name) => `${name}.azurecr.io`);
const [acme = '', denied = '', busy = '', lonely = ''] = nodeHosts;
const [pods = '', busyPods = '', late = ''] = podHosts;
const pullers = [systemIdentity, podIdentity].map(objectIdOf);
const annotations = {
  'kubernetes.azure.com/acr-client-id': podIdentity,
  'kubernetes.azure.com/acr-tenant-id': labTenant,
};
const minuteMs = 60_000;

await t.test('a kubelet on Azure pulls from ACR', requires(await nodeSupport()), async (t) => {
  const { plugin, rbac } = await printedEntries({
    args: ['--cloud', 'azure', '--pods'],
    hosts: { 'polycloud-credential-provider': nodeHosts, 'polycloud-credential-provider-azure-pod': podHosts },
  });
  const all = [...nodeHosts, ...podHosts];
  const node = await nodeFor(t, 'azure', { sites: [azureSite(all, [])], registries: [acrSite(all)], plugin });
  const { azure } = node.clouds;
  const open: LabRegistry = { tenantId: labTenant, pullers };
  await azure.update({ registries: Object.fromEntries(all.map((host) => [host, open])) });
  await node.initialise(providerIdOf((await azure.state()).machine));
  await createServiceAccount(node.plane, 'puller', annotations);
  await createServiceAccount(node.plane, 'stranger', annotations);
  const lastLoginBy = async (): Promise<string | undefined> => (await azure.state()).registryLogins.at(-1)?.objectId;

  await t.test('with the node’s managed identity', async (t) => {
    t.match(await pull(node, `${acme}/own:1`), { pulled: true });
    t.equal(await lastLoginBy(), objectIdOf(systemIdentity));
    t.match(await node.log('registry'), new RegExp(`GET ${acme}/v2/own/\\S+ let in`));
  });

  await t.test('not where that has no role, and then it has', async (t) => {
    await azure.update({ registries: { [denied]: { tenantId: labTenant, pullers: [] } } });
    const image = `${denied}/without-role:1`;
    const says = /denied\.azurecr\.io denied the login to this machine's managed identity; hint: give it AcrPull/;
    await checkFailureLine(t, node, { outcome: await pull(node, image), image, says });
    await azure.update({ registries: { [denied]: open } });
    t.match(await pull(node, `${denied}/with-role:1`), { pulled: true });
  });

  await t.test('although Azure has had enough twice', async (t) => {
    await azure.addFault({ service: 'registry', pathPrefix: '/oauth2/exchange', kind: 'throttle', count: 2 });
    t.match(await pull(node, `${busy}/throttled:1`), { pulled: true });
    const exchanges = (await azure.requests()).filter(
      ({ host, path }) => host === busy && path.startsWith('/oauth2/exchange'),
    );
    t.same(
      exchanges.map(({ status }) => status),
      [429, 429, 200],
    );
  });

  await t.test('not while the metadata service is down, and again when it is back', async (t) => {
    await azure.addFault({ service: 'imds', kind: 'refuse' });
    const image = `${lonely}/alone:1`;
    const says = /169\.254\.169\.254.*refused/;
    await checkFailureLine(t, node, { outcome: await pull(node, image), image, says });
    await azure.clearFaults();
    t.match(await pull(node, `${lonely}/in-touch:1`), { pulled: true });
  });

  await t.test('not with the pod’s identity while the kubelet may not ask for its token', async (t) => {
    t.match(await pull(node, `${pods}/too-early:1`, 'puller'), { pulled: false });
    t.match(
      await node.log('kubelet'),
      new RegExp(`not authorized to request tokens for audience .*${exchangeAudience}`),
    );
    await node.deletePod('too-early');
  });

  await t.test('with the pod’s, with the output of `config print`', async (t) => {
    await applyAudiences(node, rbac, exchangeAudience);
    const before = (await azure.requests()).length;
    t.match(await pull(node, `${pods}/trusted:1`, 'puller'), { pulled: true });
    t.equal(await lastLoginBy(), objectIdOf(podIdentity));
    const asked = (await azure.requests()).slice(before);
    t.notOk(
      asked.some(({ service }) => service === 'imds'),
      'the node’s identity is not used',
    );
  });

  await t.test('not with one that is not trusted', async (t) => {
    const image = `${pods}/not-trusted:1`;
    const outcome = await pull(node, image, 'stranger');
    const says = /no federated credential matches: .*\(AADSTS700213\); hint: let the federated/;
    await checkFailureLine(t, node, { outcome, image, says });
  });

  await t.test('with the pod’s although Entra has had enough once', async (t) => {
    await azure.addFault({ service: 'entra', kind: 'throttle', count: 1 });
    t.match(await pull(node, `${busyPods}/pod-throttled:1`, 'puller'), { pulled: true });
  });

  await t.test('not with the pod’s while this machine’s clock is hours behind', async (t) => {
    await azure.addFault({ service: 'entra', kind: 'clock', aheadMs: 120 * minuteMs });
    const image = `${late}/behind:1`;
    const outcome = await pull(node, image, 'puller');
    const says = /outside its time.*\(AADSTS700024\); hint: check this node's clock/;
    await checkFailureLine(t, node, { outcome, image, says });
    await azure.clearFaults();
    t.match(await pull(node, `${late}/in-time:1`, 'puller'), { pulled: true });
  });

  await t.test('and leaves no secret in any log', (t) => checkNoSecrets(t, node));
});
