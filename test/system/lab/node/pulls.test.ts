import t from 'tap';
import type { Test } from 'tap';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import { requires } from '../../../lab/requires.ts';
import { providerIdOf } from '../../../lab/node/aws-node.ts';
import { nodeFor } from '../../../lab/node/for-test.ts';
import { sleepingImage } from '../../../lab/node/image/busybox-image.ts';
import type { PodOutcome } from '../../../lab/node/pods.ts';
import { ecrSite } from '../../../lab/node/registry/registry-site.ts';
import { nodeSupport } from '../../../lab/node/support.ts';

// The kubelet caches a login for a host. A test that needs a call of the credential provider uses another account.
const accounts = ['123456789012', '210987654321', '333333333333', '444444444444', '555555555555'];
const hosts = accounts.map((account) => `${account}.dkr.ecr.us-west-2.amazonaws.com`);
const [first = '', second = '', third = '', fourth = '', fifth = ''] = hosts;

await t.test('private images by the node’s identity', requires(await nodeSupport()), async (t) => {
  const node = await nodeFor(t, 'aws', { registries: [ecrSite({ accounts, regions: ['us-west-2'] })] });
  const { aws } = node.clouds;
  await node.initialise(providerIdOf((await aws.state()).instance));

  /** Each image is a new one on the node. */
  async function pull(host: string, repository: string): Promise<PodOutcome> {
    const image = `${host}/${repository}:1`;
    await node.push(sleepingImage(repository), image);
    return node.runPod({ name: repository, image });
  }

  async function failureLine(t: Test, outcome: PodOutcome, host: string): Promise<string> {
    t.match(outcome, { pulled: false, reason: /ErrImagePull|ImagePullBackOff/ });
    t.match(outcome.events.map(({ message }) => message).join('\n'), /401|no basic auth|unauthorized/i);
    // The kubelet tries again before it reports that it backs off.
    const lines = new Set(await node.pluginLines(`${host}/`));
    t.equal(lines.size, 1, [...lines].join('\n'));
    // Otherwise the kubelet tries again after the cause is corrected, and caches the login for the next test.
    await node.deletePod(outcome.pod.metadata.name);
    return [...lines][0] ?? '';
  }

  await t.test('are pulled with the built credential provider, and one login is enough for a host', async (t) => {
    t.match(await pull(first, 'one'), { pulled: true });
    const asked = await aws.requests();
    t.ok(asked.some(({ service }) => service === 'imds'));
    t.equal(asked.filter(({ service }) => service === 'ecr').length, 1);
    const { registryLogins } = await aws.state();
    t.match(registryLogins, [{ arn: /assumed-role\/lab-node\//, region: 'us-west-2' }]);
    t.match(await node.log('registry'), new RegExp(`GET ${first}/v2/one/\\S+ let in`));
    t.match(await pull(first, 'two'), { pulled: true });
    t.equal((await aws.requests()).length, asked.length);
    t.same(await node.pluginLines(`${first}/`), []);
  });

  await t.test('are refused where the role may not, and the kubelet’s log has our one line', async (t) => {
    await aws.update({ instance: { roleName: 'lab-denied' } });
    const line = await failureLine(t, await pull(second, 'denied'), second);
    t.match(line, /polycloud-credential-provider: .*ecr:GetAuthorizationToken.*lab-denied.*hint: /);
    await aws.update({ instance: { roleName: 'lab-node' } });
    t.match(await pull(second, 'allowed'), { pulled: true });
  });

  await t.test('are pulled although the cloud has had enough twice', async (t) => {
    await aws.addFault({ service: 'ecr', kind: 'throttle', count: 2 });
    t.match(await pull(third, 'throttled'), { pulled: true });
    const statuses = (await aws.requests()).filter(({ service }) => service === 'ecr').map(({ status }) => status);
    t.same(statuses.slice(-3), [400, 400, 200]);
  });

  await t.test('are not pulled while there is no cloud, and pulled again when there is', async (t) => {
    await node.stopCloud('aws');
    const line = await failureLine(t, await pull(fourth, 'lonely'), fourth);
    t.match(line, /polycloud-credential-provider: .*169\.254\.169\.254.*hint: /);
    await node.startCloud('aws');
    t.match(await pull(fourth, 'reunited'), { pulled: true });
  });

  await t.test('cannot be had from a registry that is down', async (t) => {
    await node.stopPart('registry');
    const outcome = await pull(fifth, 'closed');
    t.match(outcome, { pulled: false });
    t.match(outcome.events.map(({ message }) => message).join('\n'), /connection refused/);
    await node.deletePod('closed');
    await node.startPart('registry');
    t.match(await pull(fifth, 'open'), { pulled: true });
  });

  await t.test('are not available to others', async (t) => {
    const { registryLogins } = await aws.state();
    const good = registryLogins[0]?.password ?? '';
    async function statusOf(password: string, path: string, method: string): Promise<string> {
      const login = Buffer.from(`AWS:${password}`).toString('base64');
      const headers = { authorization: `Basic ${login}`, accept: 'application/vnd.oci.image.manifest.v1+json' };
      const options = JSON.stringify({ method, headers });
      const script = `console.log((await fetch('https://${first}${path}', ${options})).status)`;
      const args = ['--use-openssl-ca', '--input-type=module', '--eval', script];
      return (
        await node.namespace.run(process.execPath, args, { env: {}, input: '', timeoutMs: 10_000 })
      ).stdout.trim();
    }
    t.equal(await statusOf(good, '/v2/one/manifests/1', 'GET'), '200');
    t.equal(await statusOf(good, '/v2/lonely/manifests/1', 'GET'), '404', 'each host has its own repositories');
    t.equal(await statusOf(good, '/v2/one/manifests/1', 'DELETE'), '405');
    t.equal(await statusOf('made up', '/v2/', 'GET'), '401');
    await aws.update({ registryLogins: registryLogins.map((login) => ({ ...login, region: 'us-east-1' })) });
    t.equal(await statusOf(good, '/v2/', 'GET'), '401', 'of another region');
    await aws.update({ registryLogins: registryLogins.map((login) => ({ ...login, expiresAtMs: Date.now() - 1 })) });
    t.equal(await statusOf(good, '/v2/', 'GET'), '401', 'expired');
    t.match(await node.log('registry'), /never given out[^]*given out by ecr in us-east-1[^]*expired/);
  });

  await t.test('leave no secret in any log', async (t) => {
    for (const name of ['kubelet', 'containerd', 'registry', 'docker-registry', 'gate']) {
      t.notOk(showsSecret(await node.log(name)), name);
    }
  });
});
