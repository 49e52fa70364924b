import t from 'tap';
import { serverFleetOf } from '../../lab/clouds/openstack/server.ts';
import type { LabServer } from '../../lab/clouds/openstack/server.ts';
import {
  labCredentialId,
  labCredentialSecret,
  labPassword,
  labProjectId,
  otherProjectId,
} from '../../lab/clouds/openstack/state.ts';
import { showsSecret } from '../../lab/clouds/secrets.ts';
import type { LookupContext } from '../../../clouds/cloud.ts';
import { logInto } from '../../support/logs.ts';
import { labelsOf, lookUp, nodeOf, ownScope, startOpenstackLab } from './openstack-lab.ts';

const { lab, env, instances: create, context, reset, requestLines } = await startOpenstackLab(t);
const fleet = serverFleetOf({ count: 1, projectId: labProjectId, number: 0 });
const theirs = serverFleetOf({ count: 1, projectId: otherProjectId, number: 1 });
const [our] = Object.values(fleet.servers) as [LabServer];
const [their] = Object.values(theirs.servers) as [LabServer];
const authUrl = env['OS_AUTH_URL'] ?? '';

t.beforeEach(async () => {
  await reset();
  await lab.update(fleet);
});

async function tokenCount(): Promise<number> {
  return (await requestLines()).filter((line) => line.startsWith('keystone')).length;
}

const userInVariables = {
  OS_AUTH_URL: authUrl,
  OS_USERNAME: 'polycloud',
  OS_USER_DOMAIN_NAME: 'Default',
  OS_PASSWORD: labPassword,
  OS_PROJECT_NAME: 'kubernetes',
  OS_PROJECT_DOMAIN_NAME: 'Default',
};
const kinds: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'an application credential': env,
  'an application credential by its name': {
    ...userInVariables,
    OS_PASSWORD: '',
    OS_AUTH_TYPE: 'v3applicationcredential',
    OS_APPLICATION_CREDENTIAL_NAME: 'polycloud',
    OS_APPLICATION_CREDENTIAL_SECRET: labCredentialSecret,
  },
  'a user and a project by their names': userInVariables,
  'a user and a project by their ids': {
    OS_AUTH_URL: authUrl,
    OS_USER_ID: '11111111111111111111111111111111',
    OS_PASSWORD: labPassword,
    OS_PROJECT_ID: labProjectId,
  },
};
for (const [kind, variables] of Object.entries(kinds)) {
  await t.test(`${kind} is enough for a look-up and for the check of access, and no secret is logged`, async (t) => {
    const lines: string[] = [];
    const logging = { ...context(), log: logInto((line) => void lines.push(line), 9) };
    const instances = create({}, { env: variables });
    t.match(await lookUp(instances, [nodeOf(our)], logging), [{ status: 'running', by: 'id' }]);
    t.equal(await instances.verifyAccess(ownScope, logging), true);
    t.equal(await tokenCount(), 1);
    t.ok(lines.length > 0);
    t.notOk(showsSecret(lines.join('\n')));
  });
}

await t.test('a token that Keystone issued elsewhere', async (t) => {
  await lookUp(create({}), [nodeOf(our)], context());
  const [token = ''] = Object.keys((await lab.state()).tokens);
  const instances = create({}, { env: { OS_AUTH_URL: authUrl, OS_TOKEN: token } });
  t.match(await lookUp(instances, [nodeOf(our)], context()), [{ status: 'running' }]);
});

await t.test('look-ups at the same time request one token', async (t) => {
  const instances = create({});
  await Promise.all([1, 2, 3].map(() => lookUp(instances, [nodeOf(our)], context())));
  t.equal(await tokenCount(), 1);
});

await t.test('a token that a service refuses is renewed once, also if many requests meet it', async (t) => {
  const instances = create({});
  await lookUp(instances, [nodeOf(our)], context());
  await revokeTokens();
  const nodes = [1, 2, 3, 4, 5].map((index) => ({ ...nodeOf(our), uid: String(index) }));
  const results = await Promise.all(nodes.map((node) => lookUp(instances, [node], context())));
  t.ok(results.every(([result]) => result?.status === 'running'));
  t.equal(await tokenCount(), 2);
});

await t.test('a service that refuses a new token is not asked for ever', async (t) => {
  await lab.addFault({ service: 'nova', kind: 'status', status: 401 });
  await t.rejects(lookUp(create({}), [nodeOf(our)], context()), {
    kind: 'denied',
    message: /does not accept the token that Keystone has just issued to the OS_\* variables$/,
  });
  t.strictSame(
    (await requestLines()).map((line) => line.split(' ')[0]),
    ['keystone', 'nova', 'keystone', 'nova'],
  );
});

await t.test('a token is renewed before it ends, by this node’s clock', async (t) => {
  const instances = create({});
  let aheadMs = 0;
  const at = (): LookupContext => {
    const real = context();
    return { ...real, clock: { ...real.clock, wallMs: () => real.clock.wallMs() + aheadMs } };
  };
  await lookUp(instances, [nodeOf(our)], at());
  aheadMs = 54 * 60_000;
  await lookUp(instances, [nodeOf(our)], at());
  t.equal(await tokenCount(), 1);
  aheadMs = 56 * 60_000;
  await lab.addFault({ service: 'keystone', kind: 'status', status: 503, count: 1 });
  t.match(await lookUp(instances, [nodeOf(our)], at()), [{ status: 'running' }], 'the earlier token is still valid');
  t.equal(await tokenCount(), 2);
  aheadMs = 57 * 60_000;
  await lookUp(instances, [nodeOf(our)], at());
  t.equal(await tokenCount(), 3);
});

await t.test('refused credentials are Keystone’s refusal, not that of an expired token', async (t) => {
  const { [labCredentialId]: credential } = (await lab.state()).applicationCredentials;
  if (credential === undefined) throw new Error('the lab has changed');
  await lab.update({ applicationCredentials: { [labCredentialId]: { ...credential, secret: 'another' } } });
  await t.rejects(lookUp(create({}), [nodeOf(our)], context()), {
    kind: 'denied',
    message: /^Keystone at 127\.0\.0\.1:\d+ refuses the credentials of the OS_\* variables$/,
    remedy: /has not expired/,
  });
});

await t.test('credentials in a file are replaced without a restart', async (t) => {
  const path = '/etc/openstack/clouds.yaml';
  const yamlWith = (secret: string): string => {
    const auth = {
      auth_url: authUrl,
      application_credential_id: labCredentialId,
      application_credential_secret: secret,
    };
    return JSON.stringify({ clouds: { a: { auth_type: 'v3applicationcredential', auth } } });
  };
  const files = { [path]: yamlWith(labCredentialSecret) };
  const instances = create({}, { env: {}, files });
  t.match(await lookUp(instances, [nodeOf(our)], context()), [{ status: 'running' }]);
  const credential = (await lab.state()).applicationCredentials[labCredentialId];
  if (credential === undefined) throw new Error('the lab has changed');
  await lab.update({ applicationCredentials: { [labCredentialId]: { ...credential, secret: 'another' } } });
  await revokeTokens();
  await t.rejects(lookUp(instances, [nodeOf(our)], context()), { message: /refuses the credentials of a in / });
  files[path] = yamlWith('another');
  t.match(await lookUp(instances, [nodeOf(our)], context()), [{ status: 'running' }]);
});

await t.test('two projects in one scope each, with entries of one file', async (t) => {
  await lab.update({ servers: theirs.servers, ports: theirs.ports });
  const entry = (project: string) => ({
    auth: {
      auth_url: authUrl,
      username: 'polycloud',
      user_domain_id: 'default',
      password: labPassword,
      project_id: project,
    },
  });
  const files = {
    '/clouds.yaml': JSON.stringify({ clouds: { ours: entry(labProjectId), theirs: entry(otherProjectId) } }),
  };
  const scopes = [
    { name: 'ours', cloud: 'ours', projectId: labProjectId },
    { name: 'theirs', cloud: 'theirs' },
  ];
  const instances = create({ cloudsFile: '/clouds.yaml', scopes }, { env: {}, files });
  const nodes = [nodeOf(our), { ...nodeOf(their), labels: labelsOf(otherProjectId) }];
  const statusesIn = async (name: string) => {
    const results = await instances.lookUp(
      { cloud: 'openstack', key: `openstack/${name}` },
      { nodes, verify: [] },
      context(),
    );
    return nodes.map(({ uid }) => results.get(uid)?.status);
  };
  t.strictSame(await statusesIn('ours'), ['running', 'unknown']);
  t.strictSame(await statusesIn('theirs'), ['unknown', 'running']);
});

await t.test('credentials of another project than the configured one are refused', async (t) => {
  const scopes = [{ name: 'a', projectId: otherProjectId }];
  const scope = { cloud: 'openstack', key: 'openstack/a' };
  const instances = create({ scopes }, { env });
  await t.rejects(instances.lookUp(scope, { nodes: [nodeOf(our)], verify: [] }, context()), {
    kind: 'misconfigured',
    message: 'the credentials of the OS_* variables are for another project than projectId',
  });
  t.equal(await instances.verifyAccess(scope, context()), false);
});

await t.test('access is verified for the project of our nodes only', async (t) => {
  const instances = create({});
  t.equal(await instances.verifyAccess(ownScope, context()), false, 'no server of a node was found yet');
  await lookUp(instances, [nodeOf(our)], context());
  t.equal(await instances.verifyAccess(ownScope, context()), true);
  t.equal(await instances.verifyAccess({ cloud: 'openstack', key: 'openstack/nowhere' }, context()), false);
  const configured = create({ scopes: [{ name: 'a', projectId: labProjectId }] }, { env });
  t.equal(await configured.verifyAccess({ cloud: 'openstack', key: 'openstack/a' }, context()), true);
});

async function revokeTokens(): Promise<void> {
  const { tokens } = await lab.state();
  const ended = Object.entries(tokens).map(([token, issued]) => [token, { ...issued, expiresAtMs: 1 }] as const);
  await lab.update({ tokens: Object.fromEntries(ended) });
}
