import t from 'tap';
import type { LookupContext } from '../../../../clouds/cloud.ts';
import { systemClock } from '../../../../lib/clock.ts';
import { labPassword, labVms } from '../../../lab/clouds/vsphere/state.ts';
import { lookUpOne, nodeOf, scopeA, secretFiles, startVcenterLab } from '../vcenter-lab.ts';

const { lab, instances, context, change, methods } = await startVcenterLab(t);
const vms = labVms(20);
const nodes = Object.values(vms).map((each) => nodeOf(each));
const [first] = nodes as [(typeof nodes)[number]];
t.beforeEach(async () => {
  await lab.reset();
  await change('a', { vms });
});

/** The time that the clocks show, ahead of the system's. */
function ahead(durationMs: number): LookupContext {
  const clock = {
    ...systemClock,
    wallMs: () => systemClock.wallMs() + durationMs,
    monotonicMs: () => systemClock.monotonicMs() + durationMs,
  };
  return { ...context(), clock };
}

async function loginCount(): Promise<number> {
  return (await methods('a')).filter((method) => method === 'Login').length;
}

await t.test('look-ups at the same time wait for one login', async (t) => {
  const cloud = instances();
  const results = await Promise.all(nodes.map((node) => lookUpOne(cloud, node, context())));
  t.ok(results.every((result) => result?.status === 'running'));
  t.equal(await loginCount(), 1);
});

await t.test('after the end of the session, one login serves all who need it', async (t) => {
  const cloud = instances();
  await cloud.lookUp(scopeA, { nodes, verify: [] }, context());
  await change('a', { sessions: [] });
  const results = await Promise.all([
    ...nodes.slice(0, 9).map((node) => lookUpOne(cloud, node, context())),
    cloud.lookUp(scopeA, { nodes, verify: [] }, ahead(10_000)).then((all) => all.get(first.uid)),
  ]);
  t.ok(results.every((result) => result?.status === 'running'));
  t.equal(await loginCount(), 2);
});

await t.test('a list without a session is no empty list', async (t) => {
  const cloud = instances();
  await cloud.lookUp(scopeA, { nodes, verify: [] }, context());
  await change('a', { sessions: [] });
  const results = await cloud.lookUp(scopeA, { nodes, verify: [] }, ahead(10_000));
  for (const result of results.values()) t.match(result, { status: 'running', by: 'list' });
  await change('a', { sessions: [] });
  t.equal(await cloud.verifyAccess(scopeA, context()), true);
});

await t.test('a session that ends again and again is a failure, after one new login', async (t) => {
  const cloud = instances();
  await change('a', { fault: 'NotAuthenticated' });
  await t.rejects(lookUpOne(cloud, first, context()), { name: 'Failure' });
  t.equal(await loginCount(), 0);
});

await t.test('every hour there is a new session, and the last one is logged out', async (t) => {
  const cloud = instances();
  await lookUpOne(cloud, first, context());
  await lookUpOne(cloud, first, ahead(50 * 60_000));
  t.equal(await loginCount(), 1);
  await lookUpOne(cloud, first, ahead(61 * 60_000));
  t.equal(await loginCount(), 2);
  t.ok((await methods('a')).includes('Logout'));
  t.equal((await lab.state()).a.sessions.length, 1);
});

await t.test('refused credentials are not sent again for a while, so that the account is not locked', async (t) => {
  const files = { ...secretFiles };
  const cloud = instances({}, files);
  await change('a', { password: 'the new one' });
  const refused = { kind: 'denied', message: 'a.vcenter.lab does not accept the user name and password' };
  for (const wait of [0, 1_000, 89_000]) await t.rejects(lookUpOne(cloud, first, ahead(wait)), refused);
  t.equal(await loginCount(), 1);
  await t.rejects(lookUpOne(cloud, first, ahead(95_000)), refused);
  t.equal(await loginCount(), 2);
  // Other ones are sent at once.
  files['/secrets/a.vcenter.lab.password'] = 'the new one\n';
  t.match(await lookUpOne(cloud, first, ahead(95_000)), { status: 'running' });
  t.equal(await loginCount(), 3);
});

await t.test('files of credentials', async (t) => {
  const named = { vcenters: [{ name: 'a', server: 'a.vcenter.lab', usernameFile: '/u', passwordFile: '/p' }] };
  const files = { '/u': 'polycloud@vsphere.local\r\n', '/p': labPassword };
  t.match(await lookUpOne(instances(named, files), first, context()), { status: 'running' });
  const withPort = { vcenters: [{ name: 'a', server: 'a.vcenter.lab:8443' }] };
  t.match(await lookUpOne(instances(withPort), first, context()), { status: 'running' }, 'the port is not in the name');
  await t.rejects(lookUpOne(instances(named, { '/u': 'user' }), first, context()), { message: '/p does not exist' });
  await t.rejects(
    lookUpOne(instances({}, { ...secretFiles, '/secrets/a.vcenter.lab.username': '\n' }), first, context()),
    {
      message: '/secrets/a.vcenter.lab.username is empty',
    },
  );
  const without = { vcenters: [{ name: 'a', server: 'a.vcenter.lab' }] };
  const { secretsDirectory: _, ...config } = { secretsDirectory: '', ...without };
  await t.rejects(lookUpOne(instances({ ...config, secretsDirectory: undefined }), first, context()), {
    message: 'there are no credentials for the vCenter a',
  });
  await t.rejects(
    lookUpOne(instances({ vcenters: [{ name: 'a', server: 'a.vcenter.lab', caFile: '/u' }] }, files), first, context()),
    { message: '/u holds no certificate' },
  );
});

await t.test('no message repeats the password', async (t) => {
  for (const fault of ['InvalidLogin', 'NoPermission', 'SystemError', 'InvalidArgument']) {
    await change('a', { fault });
    const failure = await lookUpOne(instances(), first, context()).catch((error: unknown) => error);
    t.notMatch(JSON.stringify(failure, ['message', 'remedy', 'cause', 'stack']), labPassword);
  }
});
