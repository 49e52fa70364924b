import { existsSync } from 'node:fs';
import t from 'tap';
import { createAwsNetwork } from '../../lab/aws-network.ts';
import type { RunResult } from '../../lab/network/run-command.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { requires } from '../../lab/requires.ts';

await t.test(
  'the embedded AWS at its production names and addresses',
  requires(await namespaceSupport()),
  async (t) => {
    const { namespace, aws, stop } = await createAwsNetwork({
      regions: ['us-west-2', 'cn-north-1'],
      ipVersions: [4, 6],
    });
    t.teardown(stop);

    function node(script: string, ...args: readonly string[]): Promise<RunResult> {
      const options = { env: {}, input: '', timeoutMs: 10_000 };
      return namespace.run(process.execPath, [...args, '--input-type=module', '--eval', script], options);
    }

    await t.test('the metadata service, over both versions of IP', async (t) => {
      for (const host of ['169.254.169.254', '[fd00:ec2::254]']) {
        const { stdout } = await node(`console.log((await fetch('http://${host}/latest/meta-data/')).status)`);
        t.equal(stdout.trim(), '401', host);
      }
    });

    await t.test('trusted both from the bundle and from the hashed folder', async (t) => {
      const url = 'https://ecr.us-west-2.api.aws/';
      const script = `console.log((await (await fetch('${url}', { method: 'POST' })).json()).__type)`;
      for (const flag of ['--use-openssl-ca', '--use-system-ca']) {
        t.match(await node(script, flag), { stdout: 'MissingAuthenticationTokenException\n', code: 0 }, flag);
      }
      t.match(
        await node(script),
        { stderr: /UNABLE_TO|SELF_SIGNED|unable to/i },
        'and not with the bundled roots alone',
      );
    });

    await t.test('no other host can be reached, and the error comes at once', async (t) => {
      const named = await node(`await fetch('http://nobody.example/')`);
      t.match(named.stderr, /EAI_AGAIN|ENOTFOUND/);
      const numbered = await node(`await fetch('http://192.0.2.1/')`);
      t.match(numbered.stderr, /ENETUNREACH/);
    });

    await t.test('controlled from outside', async (t) => {
      await aws.reset();
      await aws.addFault({ service: 'ecr', kind: 'refuse' });
      await aws.update({ instance: { httpTokens: 'optional' } });
      const { stderr } = await node(`await fetch('https://api.ecr.cn-north-1.amazonaws.com.cn/')`, '--use-openssl-ca');
      t.match(stderr, /ECONNREFUSED/);
      const { stdout } = await node(
        `console.log(await (await fetch('http://169.254.169.254/latest/meta-data/instance-id')).text())`,
      );
      t.equal(stdout.trim(), (await aws.state()).instance.instanceId);
      t.match(await aws.requests(), [{ service: 'imds', host: '169.254.169.254', status: 200 }]);
      await t.rejects(aws.addFault({ service: 'ecs', kind: 'hang' }), /No such service: ecs/);
      await aws.reset();
      t.same(await aws.requests(), []);
      t.equal((await aws.state()).instance.httpTokens, 'required');
    });

    await t.test('a command that takes too long is killed', async (t) => {
      const result = await namespace.run('/bin/sleep', ['60'], { env: {}, input: '', timeoutMs: 100 });
      t.match(result, { code: null, signal: 'SIGKILL' });
      t.ok(result.durationMs < 5000);
    });

    await t.test('the environment is the one that was given', async (t) => {
      const { stdout } = await namespace.run('/usr/bin/env', [], { env: { ONLY: 'this' }, input: '', timeoutMs: 5000 });
      t.equal(stdout, 'ONLY=this\n');
    });

    await t.test('nothing is left of it', async (t) => {
      await stop();
      t.notOk(existsSync(`/run/netns/${namespace.name}`) || existsSync(`/etc/netns/${namespace.name}`));
    });
  },
);
