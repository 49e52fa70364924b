import t from 'tap';
import { createBrokerHarness, denied } from './harness.ts';
import { waitFor } from '../../lib/kubernetes/scripted-server.ts';

const configFile = '/etc/polycloud/config.yaml';

function loginAtStart(...registries: readonly string[]): Readonly<Record<string, string>> {
  return { [configFile]: `broker: { loginAtStart: [${registries.join(', ')}] }\n` };
}

await t.test('the first request finds a login', async (t) => {
  const harness = await createBrokerHarness({ files: loginAtStart('a.toy.example', 'b.toy.example/team') });
  t.teardown(harness.stop);
  await waitFor(() => harness.loginCalls.length === 2);
  t.match(await harness.ask('a.toy.example/app'), '"username":"login 1"');
  t.match(await harness.ask('b.toy.example/team/app'), '"username":"login 2"');
  await harness.clock.advance(60_000);
  t.equal(harness.loginCalls.length, 2, 'there is nothing to do later');
});

await t.test('a login that fails is tried again, and its failure logged once', async (t) => {
  const harness = await createBrokerHarness({ files: loginAtStart('a.toy.example') });
  t.teardown(harness.stop);
  harness.environment.onLogin = denied;
  await waitFor(() => harness.loginCalls.length === 1);
  await harness.clock.advance(60_000);
  const lines = harness.logLines.filter((line) => line.includes('no login at start'));
  t.equal(lines.length, 1, lines.join('\n'));
  t.match(lines[0], /a\.toy\.example.*the cloud refuses it/);
  const failed = harness.loginCalls.length;
  t.ok(failed > 1);
  harness.environment.onLogin = () => {};
  await harness.clock.advance(60_000);
  t.match(await harness.ask('a.toy.example/app'), `"username":"login ${failed + 1}"`);
});

await t.test('a changed configuration empties the cache, so it logs in again', async (t) => {
  const harness = await createBrokerHarness({ files: loginAtStart('a.toy.example') });
  t.teardown(harness.stop);
  await waitFor(() => harness.loginCalls.length === 1);
  harness.environment.files = loginAtStart('a.toy.example', 'c.toy.example');
  await harness.clock.advance(30_000);
  await waitFor(() => harness.loginCalls.length === 3);
  t.strictSame(harness.loginCalls.map(({ registry }) => registry.authKey).toSorted(), [
    'a.toy.example',
    'a.toy.example',
    'c.toy.example',
  ]);
});

await t.test('a registry that no cloud serves is reported', async (t) => {
  const harness = await createBrokerHarness({ files: loginAtStart('quay.io') });
  t.teardown(harness.stop);
  await waitFor(() => harness.logLines.length > 0);
  t.match(harness.logLines.join('\n'), /quay\.io.*no cloud serves it/);
});
