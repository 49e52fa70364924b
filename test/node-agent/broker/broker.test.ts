import { once } from 'node:events';
import { lstat, readdir } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { dirname } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { clouds } from '../../../clouds/index.ts';
import { NetworkError, networkFailure } from '../../../lib/http/network-error.ts';
import { brokerLimits, emulatedProviderNames } from '../../../schemas/broker.ts';
import { createBrokerHarness, denied, exchange, hourMs, requestFor } from './harness.ts';

const image = 'a.toy.example:5000/app';
const header = 'polycloud/2 polycloud-credential-provider\n';

await t.test('the response is the kubelet’s response, complete and with the last line', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  const lines = (await harness.ask(image)).split('\n');
  t.strictSame([...lines.slice(0, 2), ...lines.slice(3)], ['polycloud/2', 'answer', 'end', '']);
  t.strictSame(JSON.parse(lines[2] ?? ''), {
    kind: 'CredentialProviderResponse',
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    cacheKeyType: 'Registry',
    cacheDuration: '6h0m0s',
    auth: { 'a.toy.example:5000': { username: 'login 1', password: 'p' } },
  });
});

await t.test('the cache duration of a cached login depends on its remaining life', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  await harness.ask(image);
  harness.environment.onLogin = denied;
  await harness.clock.advance(11 * hourMs);
  t.match(await harness.ask(image), '"cacheDuration":"30m0s"');
  await harness.clock.advance(hourMs);
  t.match(await harness.ask(image), /^polycloud\/2\nfailure\n.*the cloud refuses it; hint: allow it\nend\n$/);
});

await t.test('an unknown registry and an unreadable request get the response of the full program', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  t.match(await harness.ask('quay.io/a/b'), '"cacheDuration":"0s","auth":{}');
  t.match(await exchange(harness.socketPath, `${header}{"kind":`), /failure\n.*standard input is not one JSON object/);
  t.match(await exchange(harness.socketPath, header), /failure\n.*standard input is empty/);
  t.equal(harness.loginCalls.length, 0);
});

const declined: Readonly<Record<string, string>> = {
  'a newer front end': `polycloud/3 polycloud-credential-provider\n${requestFor(image, {})}`,
  'a newer front end with more to say': `polycloud/2 polycloud-credential-provider more\n${requestFor(image, {})}`,
  'no header': requestFor(image, {}),
  nothing: '',
  'no line at all': 'polycloud/1 x',
  'more than there is room for': `${header}${' '.repeat(brokerLimits.requestBytes + 400)}`,
  ...Object.fromEntries(emulatedProviderNames.map((name) => [name, `polycloud/2 ${name}\n${requestFor(image, {})}`])),
};

await t.test('requests that are not for the broker are declined', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  for (const [what, text] of Object.entries(declined)) {
    t.match(await exchange(harness.socketPath, text), /^polycloud\/(?:2\n|1 )decline\n.*\nend\n$/, what);
  }
  // Nothing is no request, only a look whether anything listens; and one request was too large to be read.
  const counted = Object.keys(declined).length - 2;
  const line = `polycloud_broker_requests_total{outcome="decline"} ${counted}\n`;
  t.match(harness.metricsText(), line);
  t.equal(harness.loginCalls.length, 0);
});

await t.test('requests that need what only the host has are declined', async (t) => {
  const harness = await createBrokerHarness({ clouds });
  t.teardown(harness.stop);
  const registry = '123456789012.dkr.ecr.us-west-2.amazonaws.com';
  const configurations: Readonly<Record<string, string>> = {
    'an authority of the host': 'caFile: /etc/pki/ca.pem',
    'logins of the host': 'dockerConfigFiles: [/var/lib/docker.json]',
    'logins in files': 'registries: [{match: quay.io, login: {usernameFile: /a, passwordFile: /b}}]',
    'a file that leads out of our directory': 'caFile: /etc/polycloud/link.pem',
  };
  for (const [what, text] of Object.entries(configurations)) {
    harness.environment.files = { '/etc/polycloud/config.yaml': text };
    const asked = what.startsWith('logins') ? 'quay.io/a/b' : `${registry}/a`;
    t.match(await harness.ask(asked), /^polycloud\/2\ndecline\nonly the host itself has \/\S+\nend\n$/, what);
  }
  t.strictSame(harness.logLines, [], 'nothing is logged');
});

await t.test('the configuration directory of the host can be read', async (t) => {
  const harness = await createBrokerHarness({ clouds });
  t.teardown(harness.stop);
  const login = '{usernameFile: /etc/polycloud/user, passwordFile: /etc/polycloud/password}';
  harness.environment.files = {
    '/etc/polycloud/config.yaml': `registries: [{match: quay.io, login: ${login}}]`,
    '/etc/polycloud/user': 'robot\n',
    '/etc/polycloud/password': 'secret\n',
  };
  t.match(await harness.ask('quay.io/a/b'), '"auth":{"quay.io":{"username":"robot","password":"secret"}}');
});

await t.test('after an internal error the request is declined, and the error is logged', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  harness.environment.onLogin = () => {
    throw new TypeError('LABSECRET');
  };
  t.match(await harness.ask(image), /^polycloud\/2\ndecline\n/);
  t.match(harness.logLines, [/^Broker: no login err=.*internal error \(TypeError\)/]);
  t.notMatch(harness.logLines.join(''), 'LABSECRET');
});

await t.test('a certificate of an unknown authority is declined: the host may trust it', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  harness.environment.onLogin = () => {
    throw networkFailure('api.toy.example', new NetworkError('untrusted', ''));
  };
  t.match(await harness.ask(image), /^polycloud\/2\ndecline\n/);
  t.match(harness.logLines, [/^Broker: no login err=.*an authority that this node does not trust/]);
  harness.environment.onLogin = () => {
    throw networkFailure('api.toy.example', new NetworkError('refused', ''));
  };
  t.match(await harness.ask(image), /^polycloud\/2\nfailure\n/);
});

await t.test('a request that is too large is declined at once', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  const socket = createConnection(harness.socketPath);
  const { promise: closed, resolve } = Promise.withResolvers<undefined>();
  socket.once('close', () => resolve(undefined));
  // Data that is still under way when the broker closes the connection.
  socket.on('error', () => {});
  socket.write(Buffer.alloc(2_000_000, ' '));
  const late = sleep(2_000, 'late', { ref: false });
  t.not(await Promise.race([closed, late]), 'late');
  socket.destroy();
});

await t.test('a changed configuration applies at once, and logins of the previous one are not used', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  await harness.ask(image);
  harness.environment.files = {
    '/etc/polycloud/config.yaml': 'registries: [{match: mirror.example, as: a.toy.example}]',
  };
  t.match(await harness.ask('mirror.example/x'), '"auth":{"mirror.example":{"username":"login 2"');
  t.match(await harness.ask(image), 'login 3');
  harness.environment.files = { '/etc/polycloud/config.yaml': 'registries: 7' };
  t.match(await harness.ask(image), /failure\n.*configuration file \/etc\/polycloud\/config.yaml, line 1/);
  harness.environment.files = {};
  t.match(await harness.ask(image), 'login 4');
});

await t.test('logins of different configured identities are not mixed', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  const entry = (name: string): string => `{match: a.toy.example/${name}, nodeIdentity: ${name}}`;
  harness.environment.files = { '/etc/polycloud/config.yaml': `registries: [${entry('one')}, ${entry('two')}]` };
  for (const name of ['one', 'two', 'one', 'three']) await harness.ask(`a.toy.example/${name}/app`);
  t.strictSame(
    harness.loginCalls.map(({ identity: as }) => as.kind === 'node' && as.select),
    ['one', 'two', undefined],
  );
});

await t.test('the status and the metrics contain no secret', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  await harness.ask(image);
  await harness.ask(image);
  await harness.ask('quay.io/a/b');
  await exchange(harness.socketPath, 'x');
  t.strictSame(harness.broker.status(), {
    socket: harness.socketPath,
    requests: { answer: 3, failure: 0, decline: 1 },
    logins: [{ registry: 'a.toy.example:5000', identity: 'node', expiresAt: '2026-11-19T00:00:00.000Z' }],
  });
  const metrics = harness.metricsText();
  t.match(metrics, 'polycloud_broker_requests_total{outcome="answer"} 3\n');
  t.match(metrics, 'polycloud_broker_logins_total{how="asked"} 1\n');
  t.match(metrics, 'polycloud_broker_logins_total{how="kept"} 1\n');
  t.match(metrics, 'polycloud_broker_refreshes_total{result="failed"} 0\n');
  t.match(metrics, 'polycloud_broker_kept_logins 1\n');
});

await t.test('logins are refreshed without a request', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  await harness.ask(image);
  await harness.clock.advance(6 * hourMs);
  t.equal(harness.loginCalls.length, 2);
  t.match(await harness.ask(image), 'login 2');
});

await t.test('after stop only the directory is left, and open connections are closed', async (t) => {
  const harness = await createBrokerHarness({});
  harness.environment.onLogin = () => new Promise(() => {});
  const waiting = harness.ask(image);
  const idle = createConnection(harness.socketPath);
  await Promise.all([once(idle, 'connect'), setImmediate()]);
  const directory = dirname(harness.socketPath);
  t.equal((await lstat(directory)).mode & 0o7777, 0o700);
  await harness.broker.stop();
  t.equal(await waiting, 'polycloud/2\n');
  t.strictSame(await readdir(directory), []);
});
