import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { stringify } from 'yaml';
import { selectEntry } from '../../../credential-provider/doctor/select-entry.ts';
import type { EntrySelection, Pull } from '../../../credential-provider/doctor/select-entry.ts';

const image = 'acme.azurecr.io/app';
const own = 'polycloud-credential-provider';

function provider(changes: object): object {
  return {
    name: own,
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    matchImages: ['*.azurecr.io'],
    defaultCacheDuration: '0s',
    ...changes,
  };
}

const podProvider = provider({
  name: `${own}-azure-pod`,
  tokenAttributes: {
    serviceAccountTokenAudience: 'api://AzureADTokenExchange',
    cacheType: 'ServiceAccount',
    requireServiceAccount: true,
    requiredServiceAccountAnnotationKeys: ['example.com/client'],
    optionalServiceAccountAnnotationKeys: ['example.com/tenant'],
  },
});

function selectFor(t: Test, providers: readonly object[], pull: Partial<Pull>): EntrySelection {
  const file = { apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig', providers };
  const configPath = join(t.testdir({ 'k.yaml': stringify(file) }), 'k.yaml');
  return selectEntry({ pid: 7, env: { A: 'kubelet', B: 'kubelet' }, configPath }, { image, ...pull }, []);
}

const chosen: ReadonlyArray<readonly [name: string, providers: readonly object[], pull: Partial<Pull>, entry: string]> =
  [
    ['ours among others', [provider({ name: 'other' }), provider({})], {}, own],
    [
      'the first, if none is ours',
      [provider({ name: 'acr-credential-provider' }), provider({ name: 'other' })],
      {},
      'acr-credential-provider',
    ],
    ['the node’s for the node', [podProvider, provider({})], {}, own],
    [
      'the entry for pods, for a pod',
      [provider({}), podProvider],
      { annotations: { 'example.com/client': 'x' } },
      `${own}-azure-pod`,
    ],
  ];
for (const [name, providers, pull, entry] of chosen) {
  await t.test(`which entry: ${name}`, async (t) => t.equal(selectFor(t, providers, pull).call?.name, entry));
}

await t.test('the call has the kubelet’s environment, the entry’s variables and the entry’s arguments', (t) => {
  const { call } = selectFor(t, [provider({ args: ['--config', 'x'], env: [{ name: 'B', value: 'entry' }] })], {});
  t.strictSame(call, { name: own, args: ['--config', 'x'], env: { A: 'kubelet', B: 'entry' }, annotations: {} });
  t.end();
});

await t.test('which annotations are sent', (t) => {
  const annotations = { 'example.com/client': 'x', 'example.com/tenant': 'y', 'example.com/other': 'z' };
  const { call, findings } = selectFor(t, [podProvider], { annotations });
  t.strictSame(call?.annotations, { 'example.com/client': 'x', 'example.com/tenant': 'y' });
  t.match(findings, [
    { outcome: 'ok', said: /with the pod's token/ },
    { outcome: 'warning', said: /example\.com\/other is not sent/, remedy: /optional/ },
  ]);
  t.end();
});

const refusals: ReadonlyArray<
  readonly [name: string, providers: readonly object[], pull: Partial<Pull>, said: RegExp]
> = [
  ['no entry', [provider({ matchImages: ['*.pkg.dev'] })], {}, /no entry of .* matches this image/],
  ['another port', [provider({})], { image: 'acme.azurecr.io:443/app' }, /matches this image/],
  ['pods only', [podProvider], {}, /only as a pod, by polycloud-credential-provider-azure-pod/],
  ['no tokens', [provider({})], { annotations: {} }, /uses the pod's token/],
  [
    'no annotation',
    [podProvider],
    { annotations: {} },
    /not called for a service account without the annotation example\.com\/client/,
  ],
  [
    'a bad file',
    [provider({ name: 'a/b' })],
    {},
    /would not start again with its configuration, .*k\.yaml:4: "a\/b" is not a file name/,
  ],
];
for (const [name, providers, pull, said] of refusals) {
  await t.test(`not called: ${name}`, (t) => {
    const { call, findings } = selectFor(t, providers, pull);
    t.equal(call, undefined);
    t.match(findings.at(-1), { about: 'kubelet', outcome: 'failed', said, remedy: /\w+ \w+/ });
    t.end();
  });
}

await t.test('warnings: for a doubtful file, and for another program', (t) => {
  const { findings, call } = selectFor(
    t,
    [provider({ name: 'other', matchImages: ['*.azurecr.io', 'https://x.example'] })],
    {},
  );
  t.equal(call?.name, 'other');
  t.match(findings, [
    { outcome: 'warning', said: /k\.yaml:8: "https:\/\/x\.example": it starts with a scheme/ },
    { outcome: 'ok' },
    { outcome: 'warning', said: /other is another program/, remedy: /name the entry/ },
  ]);
  t.end();
});

await t.test('a kubelet without the flag', (t) => {
  const { findings } = selectEntry({ pid: 7, env: {} }, { image }, []);
  t.match(findings, [{ outcome: 'failed', said: /without --image-credential-provider-config/ }]);
  t.end();
});
