import { readFile } from 'node:fs/promises';
import t from 'tap';
import { installingNodeFor } from '../../lab/node/installing-node.ts';
import { nodeSupport } from '../../lab/node/support.ts';
import { systemdSupport } from '../../lab/node/systemd.ts';
import { requires } from '../../lab/requires.ts';
import { pull } from './kubelet/pulling.ts';
import { providerIdOf } from '../../lab/node/aws-node.ts';

const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/private:1';
const support = await nodeSupport();

await t.test(
  'install gives the kubelet its flags and restarts it',
  requires(support.available ? systemdSupport() : support),
  async (t) => {
    const { node, install } = await installingNodeFor(t);
    await node.initialise(providerIdOf((await node.clouds.aws.state()).instance));
    const { code, stdout, stderr } = await install('-o', 'json');
    t.equal(code, 0, stderr);
    const result = JSON.parse(stdout) as object;
    t.match(result, { layout: 'kubeadm', restarted: 'kubelet.service' });
    t.notMatch(result, { restart: String });
    t.match(await pull(node, image), { pulled: true }, 'the kubelet has its credential provider');

    const again = await install('-o', 'json');
    t.match(JSON.parse(again.stdout), { changed: [] }, again.stderr);
    t.notMatch(JSON.parse(again.stdout), { restarted: String }, 'a second time restarts nothing');
    t.match(await readFile(node.path('/etc/default/kubelet'), 'utf8'), /--image-credential-provider-config/);
    const { stdout: units } = await node.run('/usr/bin/systemctl', ['list-units', '--all', 'polycloud-*'], {
      env: {},
      input: '',
      timeoutMs: 60_000,
    });
    t.match(units, /^0 loaded units listed/m, 'nothing is left to restore');
  },
);
