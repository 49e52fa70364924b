import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { bundle, bundleChunks } from '../../build/executables/bundle.ts';
import { codeCacheName, train, writeChunks } from '../../build/executables/code-cache.ts';
import { requestVersions } from '../../schemas/credential-provider.ts';

/** Texts of the commands for people, of help, and of the emulated providers. */
const texts = [
  'does not start with this',
  'the kubelet gets a login for it',
  'image-credential-provider-bin-dir',
  'it lists no provider',
  'polycloud-token-audiences',
  'did you mean',
  'Completion of',
  'Options of a command',
  '--registry-mirror cannot be read',
  'AWS_ECR_ROLE_ARN',
  'KUBE_SIDECAR_CACHE_TYPE',
];

await t.test('answering the kubelet loads no code of the commands and of emulated providers', async (t) => {
  const directory = t.testdir();
  const training = join(directory, 'training.cjs');
  await writeFile(training, await bundle('build/executables/start/training.ts'));
  const pieces = await bundleChunks('credential-provider/main.ts', {});
  const place = join(directory, 'pieces');
  await writeChunks(pieces, place);
  const request = { apiVersion: requestVersions[0], kind: 'CredentialProviderRequest', image: 'registry.example/app' };
  // tap gives every process that a test starts variables of its own.
  await train(['/usr/bin/env', '-u', 'NODE_OPTIONS', process.execPath, training, place], [{ args: [], request }]);
  const isLoaded = async (piece: string): Promise<boolean> => (await stat(join(place, codeCacheName(piece)))).size > 0;
  for (const word of texts) {
    const holding = [...pieces].filter(([, code]) => code.includes(word)).map(([piece]) => piece);
    t.ok(holding.length > 0, word);
    t.strictSame(
      await Promise.all(holding.map(isLoaded)),
      holding.map(() => false),
      `${word}: ${holding.join(', ')}`,
    );
  }
  t.ok(await isLoaded('main.js'));
});
