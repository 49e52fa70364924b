import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { requires } from '../../../lab/requires.ts';
import { nodeFor } from '../../../lab/node/for-test.ts';
import { sleepingImage } from '../../../lab/node/image/busybox-image.ts';
import { builtPlugin, nodeIdentityEntry } from '../../../lab/node/plugins.ts';
import { nodeSupport } from '../../../lab/node/support.ts';

const host = '123456789012.dkr.ecr.us-west-2.amazonaws.com';
const right = {
  kind: 'CredentialProviderResponse',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  cacheKeyType: 'Image',
  cacheDuration: '0s',
  auth: { [host]: { username: 'AWS', password: 'nobody gave this out' } },
};

/** The output of a credential provider, and the kubelet's message about it. */
const wrongAnswers: Readonly<Record<string, { readonly prints: string; readonly log: RegExp }>> = {
  garbage: { prints: '<html>not here</html>', log: /error reading GVK from response: .*invalid character '<'/ },
  nothing: { prints: '', log: /error reading GVK from response: .*unexpected end of JSON input/ },
  'an-unknown-field': {
    prints: JSON.stringify({ ...right, surprise: true }),
    log: /error decoding credential provider plugin response from stdout/,
  },
  'another-version': {
    prints: JSON.stringify({ ...right, apiVersion: 'credentialprovider.kubelet.k8s.io/v1beta1' }),
    log: /apiVersion from credential plugin response did not match expected apiVersion:\S+v1, actual apiVersion:\S+v1beta1/,
  },
};

await t.test('a credential provider with a wrong response', requires(await nodeSupport()), async (t) => {
  const names = Object.keys(wrongAnswers);
  const scripts = t.testdir(
    Object.fromEntries(
      Object.entries(wrongAnswers).map(([name, { prints }]) => [name, `#!/bin/sh\nprintf '%s' '${prints}'\n`]),
    ),
  );
  for (const name of names) chmodSync(join(scripts, name), 0o755);
  const wrong = names.map((name) => ({ ...nodeIdentityEntry([`${host}/${name}`]), name }));
  const providers = [...wrong, nodeIdentityEntry([`${host}/ours`])];
  const programs = Object.fromEntries(names.map((name) => [name, join(scripts, name)]));
  const plugin = { providers, programs: { ...programs, 'polycloud-credential-provider': builtPlugin } };
  const node = await nodeFor(t, 'aws', { plugin });

  for (const [name, { log }] of Object.entries(wrongAnswers)) {
    await t.test(`with ${name}: no pull`, async (t) => {
      const image = `${host}/${name}:1`;
      await node.push(sleepingImage(name), image);
      t.match(await node.runPod({ name, image, tolerant: true }), { pulled: false, reason: 'ErrImagePull' });
      t.match((await node.pluginLines(image)).join('\n'), log);
    });
  }

  await t.test('and with ours next to them the image is pulled', async (t) => {
    const image = `${host}/ours:1`;
    await node.push(sleepingImage('ours'), image);
    t.match(await node.runPod({ name: 'ours', image, tolerant: true }), { pulled: true });
  });
});
