import { existsSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import t from 'tap';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { requires } from '../../../lab/requires.ts';
import { providerIdOf } from '../../../lab/node/aws-node.ts';
import { nodeFor } from '../../../lab/node/for-test.ts';
import { sleepingImage } from '../../../lab/node/image/busybox-image.ts';
import { uninitialized } from '../../../lab/node/initialise.ts';
import { nodeSupport } from '../../../lab/node/support.ts';

const soon = { withinMs: 30_000, everyMs: 50 };
const plain = { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }, input: '', timeoutMs: 20_000 };
const image = 'docker.io/lab/sleep:1';

await t.test('a node', requires(await nodeSupport()), async (t) => {
  const loadBefore = loadavg()[0] ?? 0;
  const node = await nodeFor(t, 'aws', {});
  const { instance } = await node.clouds.aws.state();

  await t.test('is there soon', async (t) => {
    t.comment(`booted in ${node.bootMs.toFixed(0)} ms at load ${loadBefore.toFixed(1)}`);
    // Others at work get their share.
    const share = Math.max(1, (loadBefore + cpus().length) / cpus().length);
    t.ok(node.bootMs < 8_000 * share, `${node.bootMs.toFixed(0)} ms`);
  });

  await t.test('waits to be initialised', async (t) => {
    const { metadata, spec, status } = await node.getNode();
    t.equal(metadata.name, 'ip-10-0-0-20.us-west-2.compute.internal');
    t.match(spec.taints, [{ key: uninitialized, value: 'true', effect: 'NoSchedule' }]);
    t.notOk(spec.providerID);
    t.same(status.addresses, [{ type: 'Hostname', address: metadata.name }]);
    t.match(status.nodeInfo, { kubeletVersion: 'v1.37.1', systemUUID: /^ec2/i });
  });

  await t.test('looks like the instance that its cloud speaks of', async (t) => {
    const { stdout } = await node.run(
      '/bin/sh',
      ['-c', 'hostname; hostname -i; cat /sys/class/dmi/id/sys_vendor'],
      plain,
    );
    t.same(stdout.trim().split('\n'), [node.name, instance.privateIp, 'Amazon EC2']);
    const get = `fetch('http://169.254.169.254/latest/meta-data/').then((r) => console.log(r.status))`;
    t.equal((await node.run(process.execPath, ['--eval', get], plain)).stdout, '401\n');
    t.ok(node.clouds.aws.url('ecr').startsWith('https://'));
    const { ec2Instances } = await node.clouds.aws.state();
    t.match(ec2Instances[instance.instanceId], { zone: instance.zone, privateDnsName: node.name });
  });

  await t.test('what is written at production paths stays inside', async (t) => {
    const paths = ['/etc', '/opt', '/usr/local/bin', '/var/lib', '/run'].map((folder) => `${folder}/lab-was-here`);
    const { code } = await node.run('/usr/bin/touch', paths, plain);
    t.equal(code, 0);
    for (const path of paths) t.ok(existsSync(node.path(path)) && !existsSync(path), path);
  });

  await t.test('the API server has the same address outside, on the node and in a pod', async (t) => {
    const file = node.plane.adminKubeconfig;
    const server = /server: (\S+)/.exec(readFileSync(file, 'utf8'))?.[1];
    t.equal(server, node.plane.url);
    const script = `fetch('${node.plane.url}/version').then((r) => r.json()).then((v) => console.log(v.gitVersion ?? v.code))`;
    const trusting = { ...plain, env: { NODE_EXTRA_CA_CERTS: node.plane.certificateAuthority.file } };
    for (const place of [node.namespace, node]) {
      t.equal((await place.run(process.execPath, ['--eval', script], trusting)).stdout, 'v1.37.1\n');
    }
  });

  await t.test('pods wait for the taint to go, and run then', async (t) => {
    await node.importImage(sleepingImage('sleep'), image);
    const waiting = node.runPod({ name: 'bridged', image });
    const scheduled = await waitUntil({ what: 'the scheduler’s word', ...soon }, async () => {
      const { body } = await node.plane.ask('GET', '/api/v1/namespaces/default/pods/bridged');
      return (body as { status: { conditions?: readonly { message?: string }[] } }).status.conditions?.[0]?.message;
    });
    t.match(scheduled, /untolerated taint/);
    await node.initialise(providerIdOf(instance));
    const bridged = await waiting;
    const onHost = await node.runPod({ name: 'on-host', image, hostNetwork: true });
    t.match(bridged, { pulled: true, pod: { status: { podIP: /^10\.244\.0\./ } } });
    t.match(onHost, { pulled: true, pod: { status: { podIP: instance.privateIp } } });
  });

  await t.test('kubectl reaches into pods, and pods reach the API server', async (t) => {
    t.equal(await node.plane.kubectl(['exec', 'on-host', '--', 'hostname']), `${node.name}\n`);
    for (const pod of ['bridged', 'on-host']) {
      const ask = 'nc -w 5 "$KUBERNETES_SERVICE_HOST" "$KUBERNETES_SERVICE_PORT" </dev/null && echo reached';
      t.equal(await node.plane.kubectl(['exec', pod, '--', 'sh', '-c', ask]), 'reached\n', pod);
    }
  });

  for (const part of ['kubelet', 'containerd'] as const) {
    await t.test(`${part} alone is stopped and started, and pods run after it`, async (t) => {
      const before = node.pid(part);
      await node.stopPart(part);
      t.throws(() => node.pid(part), /does not run/);
      await node.startPart(part);
      t.not(node.pid(part), before);
      t.match(await node.runPod({ name: `after-${part}`, image }), { pulled: true });
    });
  }

  await t.test('the API server too', async (t) => {
    await node.plane.killApiServer();
    await node.plane.startApiServer();
    t.match(await node.runPod({ name: 'after-api-server', image }), { pulled: true });
    await node.deletePod('bridged');
  });

  await t.test('a program of a test runs inside, hears signals, and can be asked', async (t) => {
    const serve = `process.on('SIGTERM', () => { console.log('bye'); process.exit(0); });
      require('node:http').createServer((q, r) => r.end(require('node:os').hostname())).listen(9000, '127.0.0.1')`;
    const isReady = (): Promise<boolean> =>
      node.get('http://127.0.0.1:9000/').then(
        () => true,
        () => false,
      );
    await node.startProgram('answerer', { file: process.execPath, args: ['--eval', serve] }, isReady);
    t.same(await node.get('http://127.0.0.1:9000/'), { status: 200, body: node.name });
    await node.stopProgram('answerer');
    t.equal(await node.log('answerer'), 'bye\n');
    await t.rejects(node.get('http://127.0.0.1:9000/'));
  });
});
