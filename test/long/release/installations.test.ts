import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { installedDirectory } from '../../../build/release/linux-packages.ts';
import { binDirectoryFlag, flagOf } from '../../../lib/kubelet-config/flags.ts';
import { brokerSocket } from '../../../schemas/broker.ts';
import { imageSupport } from '../../lab/helm/program-images.ts';
import { providerIdOf } from '../../lab/node/aws-node.ts';
import { nodeFor } from '../../lab/node/for-test.ts';
import type { LabNode } from '../../lab/node/lab-node.ts';
import { nodeIdentityPlugin } from '../../lab/node/plugins.ts';
import { ecrSite } from '../../lab/node/registry/registry-site.ts';
import { nodeSupport } from '../../lab/node/support.ts';
import { systemdSupport } from '../../lab/node/systemd.ts';
import { requires } from '../../lab/requires.ts';
import { pull } from '../../system/node/kubelet/pulling.ts';
import { copyFromImage, unpackArchive } from './other-ways.ts';
import { checkLifeOfDeb, checkRpm, rpmSupport } from './package-life.ts';
import { packageSupport, packagesFor } from './release-packages.ts';

interface Installation {
  /** The registry's. Each has its own, since the kubelet caches logins. */
  readonly account: string;
  /** Puts the files of a release on the node. Returns the path of the program for the kubelet there. */
  install(node: LabNode<'aws'>): Promise<string>;
  end?(node: LabNode<'aws'>): Promise<void>;
}

const supports = [await nodeSupport(), systemdSupport(), await packageSupport(), imageSupport()];
const support = supports.find(({ available }) => !available) ?? { available: true };
const { deb, rpm } = support.available ? await packagesFor(t) : { deb: '', rpm: '' };

const installations: Readonly<Record<string, Installation>> = {
  'the deb': {
    account: '111111111111',
    install: async (node) => {
      await runOn(node, 'dpkg', ['--install', deb]);
      // As its service would; systemd does not run on this node.
      const broker = { file: '/usr/bin/polycloud-node-agent', args: ['broker'] };
      await node.startProgram('host-broker', broker, async () => existsSync(node.path(brokerSocket)));
      // Then only the broker can answer.
      await runOn(node, 'chmod', ['a-x', `${installedDirectory}/polycloud-credential-provider-full`]);
      return `${installedDirectory}/polycloud-credential-provider`;
    },
    // The next ones have no broker.
    end: async (node) => node.stopProgram('host-broker'),
  },
  'the copier of the image': { account: '222222222222', install: copyFromImage },
  'the archive by hand': { account: '333333333333', install: unpackArchive },
};

t.setTimeout(600_000);

await t.test('a kubelet pulls a private image with', requires(support), async (t) => {
  const accounts = Object.values(installations).map(({ account }) => account);
  const node = await nodeFor(t, 'aws', {
    registries: [ecrSite({ accounts, regions: ['us-west-2'] })],
    // A program that cannot log in, until it is replaced.
    plugin: { ...nodeIdentityPlugin, programs: { 'polycloud-credential-provider': '/bin/false' } },
  });
  await node.initialise(providerIdOf((await node.clouds.aws.state()).instance));
  const kubeletArguments = (await readFile(`/proc/${node.pid('kubelet')}/cmdline`, 'utf8')).split('\0');
  const binDirectory = flagOf(kubeletArguments, binDirectoryFlag) ?? '';
  for (const [what, { account, install, end }] of Object.entries(installations)) {
    await t.test(what, async (t) => {
      const host = `${account}.dkr.ecr.us-west-2.amazonaws.com`;
      const name = what.replaceAll(/[^a-z]/g, '');
      t.match(await pull(node, `${host}/before-${name}:1`), { pulled: false });
      const program = await install(node);
      await runOn(node, 'ln', ['--symbolic', '--force', program, `${binDirectory}/polycloud-credential-provider`]);
      t.match(await pull(node, `${host}/with-${name}:1`), { pulled: true });
      await runOn(node, 'ln', ['--symbolic', '--force', '/bin/false', `${binDirectory}/polycloud-credential-provider`]);
      await end?.(node);
    });
  }
});

await t.test('the deb comes and goes', requires(support), (t) => checkLifeOfDeb(t, deb));

const rpmSupports = [support, rpmSupport()].find(({ available }) => !available) ?? { available: true };
await t.test('the rpm has the same files', requires(rpmSupports), (t) => checkRpm(t, rpm));

async function runOn(node: LabNode<'aws'>, file: string, args: readonly string[]): Promise<void> {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  const { code, stdout, stderr } = await node.run(file, args, { env, input: '', timeoutMs: 120_000 });
  if (code !== 0) throw new Error(`${file} ended with ${String(code)}: ${stdout}${stderr}`);
}
