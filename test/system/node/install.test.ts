import { readlink } from 'node:fs/promises';
import t from 'tap';
import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import { requires } from '../../lab/requires.ts';
import { providerIdOf } from '../../lab/node/aws-node.ts';
import { nodeFor } from '../../lab/node/for-test.ts';
import { nodeIdentityEntry } from '../../lab/node/plugins.ts';
import { ecrSite } from '../../lab/node/registry/registry-site.ts';
import { nodeSupport } from '../../lab/node/support.ts';
import { pull } from './kubelet/pulling.ts';

const account = '123456789012';
const host = `${account}.dkr.ecr.us-west-2.amazonaws.com`;
const vendor = 'ecr-credential-provider';
const agent = executablePath('polycloud-node-agent', hostArchitecture());

await t.test(
  'install replaces the program of a kubelet that runs, and uninstall brings it back',
  requires(await nodeSupport()),
  async (t) => {
    const node = await nodeFor(t, 'aws', {
      registries: [ecrSite({ accounts: [account], regions: ['us-west-2'] })],
      // A vendor's program that cannot log in.
      plugin: {
        providers: [{ ...nodeIdentityEntry(['*.dkr.ecr.*.amazonaws.com']), name: vendor }],
        programs: { [vendor]: '/bin/false' },
      },
    });
    await node.initialise(providerIdOf((await node.clouds.aws.state()).instance));
    t.match(await pull(node, `${host}/before:1`), { pulled: false });
    await node.deletePod('before');

    const run = async (command: string): Promise<Result> => {
      const args = [command, '--host-root', '/', '-o', 'json'];
      const { code, stdout, stderr } = await node.run(agent, args, { env: {}, input: '', timeoutMs: 60_000 });
      t.equal(code, 0, stderr);
      return JSON.parse(stdout) as Result;
    };
    const installed = await run('install');
    t.match(installed, { kind: 'written', replaced: [vendor] });
    t.notMatch(installed, { restart: String }, 'the kubelet goes on');
    t.match(await pull(node, `${host}/after:1`), { pulled: true });
    t.strictSame((await run('install')).changed, [], 'a second time changes nothing');

    const { restored = [] } = await run('uninstall');
    const link = restored.find((path) => path.endsWith(`/${vendor}`)) ?? '';
    t.equal(await readlink(node.path(link)), '/bin/false');
    t.strictSame((await run('uninstall')).restored, []);
  },
);

interface Result {
  readonly changed?: readonly string[];
  readonly restored?: readonly string[];
}
