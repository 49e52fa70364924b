import { join } from 'node:path';
import t from 'tap';
import { stringify } from 'yaml';
import { nodeAccount, podAccount, providerName, pullerSubject } from '../../../lab/clouds/gcp/state.ts';
import { requires } from '../../../lab/requires.ts';
import { createServiceAccount } from '../../../lab/node/audience.ts';
import { nodeFor } from '../../../lab/node/for-test.ts';
import { providerIdOf } from '../../../lab/node/gcp-node.ts';
import { googleRegistrySite } from '../../../lab/node/registry/registry-site.ts';
import { nodeSupport } from '../../../lab/node/support.ts';
import { printedEntries } from './printed-entries.ts';
import { applyAudiences, checkFailureLine, checkNoSecrets, pull } from './pulling.ts';

// The kubelet keeps a login for a host, so each case has a host of its own.
const ofPlaces = (places: readonly string[]): readonly string[] => places.map((place) => `${place}-docker.pkg.dev`);
const nodeHosts = ofPlaces(['us', 'europe', 'asia', 'us-west1', 'us-west2']);
const podHosts = ofPlaces(['us-east1', 'us-east4', 'us-east5']);
const [own = '', readerless = '', another = '', busy = '', lonely = ''] = nodeHosts;
const [pods = '', busyPods = '', late = ''] = podHosts;
const audience = `https://iam.googleapis.com/${providerName}`;
const provider = `//iam.googleapis.com/${providerName}`;
const minuteMs = 60_000;

/** One registry is opened by another account than the instance's own. */
const config = {
  gcp: { workloadIdentityProvider: providerName },
  registries: [{ match: another, nodeIdentity: podAccount }],
};

await t.test('a kubelet on Google pulls from Artifact Registry', requires(await nodeSupport()), async (t) => {
  const configFile = join(t.testdir({ 'config.yaml': stringify(config) }), 'config.yaml');
  const { plugin, rbac } = await printedEntries({
    args: ['--cloud', 'gcp', '--pods', '--config', configFile],
    hosts: { 'polycloud-credential-provider': nodeHosts, 'polycloud-credential-provider-gcp-pod': podHosts },
  });
  const node = await nodeFor(t, 'gcp', { registries: [googleRegistrySite([...nodeHosts, ...podHosts])], plugin });
  const { gcp } = node.clouds;
  await node.initialise(providerIdOf(await gcp.state()));
  await createServiceAccount(node.plane, 'puller', { 'iam.gke.io/gcp-service-account': podAccount });
  await createServiceAccount(node.plane, 'stranger', {});
  const lastLoginBy = async (): Promise<string | undefined> =>
    Object.values((await gcp.state()).accessTokens).at(-1)?.member;

  await t.test('with the instance’s service account', async (t) => {
    t.match(await pull(node, `${own}/project/app/own:1`), { pulled: true });
    t.equal(await lastLoginBy(), `serviceAccount:${nodeAccount}`);
    t.match(await node.log('registry'), new RegExp(`GET ${own}/v2/project/app/own/\\S+ let in`));
  });

  await t.test('not where that may not read, and then it may', async (t) => {
    const { serviceAccounts } = await gcp.state();
    const account = serviceAccounts[nodeAccount];
    if (account === undefined) throw new Error('the embedded Google has no account for nodes');
    await gcp.update({ serviceAccounts: { [nodeAccount]: { ...account, permissions: [] } } });
    const outcome = await pull(node, `${readerless}/project/app/no-reader:1`);
    t.match(outcome, { pulled: false });
    t.match(outcome.events.map(({ message }) => message).join('\n'), /may not pull|401|unauthorized/i);
    await node.deletePod('no-reader');
    await gcp.update({ serviceAccounts: { [nodeAccount]: account } });
    t.match(await pull(node, `${readerless}/project/app/reader:1`), { pulled: true });
  });

  await t.test('not by an account that the instance’s may not become, and then it may', async (t) => {
    const { serviceAccounts } = await gcp.state();
    const account = serviceAccounts[podAccount];
    if (account === undefined) throw new Error('the embedded Google has no account for pods');
    await gcp.update({ serviceAccounts: { [podAccount]: { ...account, tokenCreators: [] } } });
    const image = `${another}/project/app/not-become:1`;
    const outcome = await pull(node, image);
    const says = /denied iam\.serviceAccounts\.getAccessToken to .*; hint: /;
    await checkFailureLine(t, node, { outcome, image, says });
    await gcp.update({ serviceAccounts: { [podAccount]: account } });
    t.match(await pull(node, `${another}/project/app/become:1`), { pulled: true });
    t.equal(await lastLoginBy(), `serviceAccount:${podAccount}`);
  });

  await t.test('although the metadata server has had enough twice', async (t) => {
    await gcp.addFault({ service: 'metadata', kind: 'throttle', count: 2 });
    t.match(await pull(node, `${busy}/project/app/throttled:1`), { pulled: true });
    const asked = (await gcp.requests()).filter(({ service }) => service === 'metadata');
    t.same(asked.map(({ status }) => status === 200).slice(-3), [false, false, true]);
  });

  await t.test('not while the metadata server is down, and again when it is back', async (t) => {
    await gcp.addFault({ service: 'metadata', kind: 'refuse' });
    const image = `${lonely}/project/app/alone:1`;
    const says = /metadata.*refused/;
    await checkFailureLine(t, node, { outcome: await pull(node, image), image, says });
    await gcp.clearFaults();
    t.match(await pull(node, `${lonely}/project/app/in-touch:1`), { pulled: true });
  });

  await t.test('not with the pod’s identity while the kubelet may not ask for its token', async (t) => {
    t.match(await pull(node, `${pods}/project/app/too-early:1`, 'puller'), { pulled: false });
    t.match(await node.log('kubelet'), new RegExp(`not authorized to request tokens for audience .*${audience}`));
    await node.deletePod('too-early');
  });

  await t.test('with the pod’s, with the output of `config print`', async (t) => {
    await applyAudiences(node, rbac, audience);
    const before = (await gcp.requests()).length;
    t.match(await pull(node, `${pods}/project/app/trusted:1`, 'puller'), { pulled: true });
    t.equal(await lastLoginBy(), `serviceAccount:${podAccount}`);
    const asked = (await gcp.requests()).slice(before).map(({ service }) => service);
    t.same([...new Set(asked)].toSorted(), ['iam-credentials', 'sts'], 'the node’s identity is not used');
  });

  await t.test('not with one that the pool does not take', async (t) => {
    const known = (await gcp.state()).providers[provider];
    if (known === undefined) throw new Error('the embedded Google has no provider for clusters');
    await gcp.update({ providers: { [provider]: { ...known, subjects: [pullerSubject] } } });
    const image = `${pods}/project/app/not-taken:1`;
    const outcome = await pull(node, image, 'stranger');
    const says = /refuses the token of service account default\/stranger: .*attribute condition.*; hint: let the/;
    await checkFailureLine(t, node, { outcome, image, says });
  });

  await t.test('with the pod’s although STS has had enough once', async (t) => {
    await gcp.addFault({ service: 'sts', kind: 'throttle', count: 1 });
    t.match(await pull(node, `${busyPods}/project/app/pod-throttled:1`, 'puller'), { pulled: true });
  });

  await t.test('not with the pod’s while this machine’s clock is hours behind', async (t) => {
    await gcp.addFault({ service: 'sts', kind: 'clock', aheadMs: 120 * minuteMs });
    const image = `${late}/project/app/behind:1`;
    const outcome = await pull(node, image, 'puller');
    const says = /for its time: this node's clock is 120 minutes behind Google's; hint: set the clock/;
    await checkFailureLine(t, node, { outcome, image, says });
    await gcp.clearFaults();
    t.match(await pull(node, `${late}/project/app/in-time:1`, 'puller'), { pulled: true });
  });

  await t.test('and leaves no secret in any log', (t) => checkNoSecrets(t, node));
});
