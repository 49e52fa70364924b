import t from 'tap';
import { acr } from '../../../credential-provider/compat/acr.ts';
import { readArguments } from '../../../credential-provider/compat/arguments.ts';
import { findEmulatedProvider } from '../../../credential-provider/compat/find-emulated.ts';
import type { EmulatedProvider, CompatRuntime } from '../../../credential-provider/compat/emulated-provider.ts';
import { gcp } from '../../../credential-provider/compat/gcp.ts';
import { fakeHost } from '../../clouds/fake-host.ts';

const mirror = 'mcr.microsoft.com:acme.azurecr.io';

const forms: readonly (readonly string[])[] = [
  ['--registry-mirror', mirror],
  [`--registry-mirror=${mirror}`],
  ['-r', mirror],
  [`-r=${mirror}`],
  [`-r${mirror}`],
  ['--registry_mirror', mirror],
  ['-r', 'other:other', '-r', mirror],
];
for (const form of forms) {
  await t.test(`Go's flags: ${form.join(' ')}`, (t) => {
    for (const args of [
      [...form, 'azure.json'],
      ['azure.json', ...form],
    ]) {
      t.match(readArguments(acr, args), {
        positionals: ['azure.json'],
        flags: { 'registry-mirror': mirror },
        action: 'run',
      });
    }
    t.end();
  });
}

await t.test('verbosity', (t) => {
  for (const args of [['-v', '4'], ['-v=4'], ['-v4'], ['--v', '4'], ['--v=4']]) {
    t.equal(readArguments(gcp, ['get-credentials', ...args]).verbosity, 4, args.join(' '));
  }
  t.equal(readArguments(gcp, []).verbosity, 0);
  t.equal(readArguments(gcp, ['-v', 'much']).verbosity, 0);
  t.end();
});

await t.test('switches, on and off, in all forms of Go', (t) => {
  for (const word of ['', '=true', '=T', '=1', '=false', '=F', '=0']) {
    t.strictSame(
      readArguments(gcp, ['get-credentials', `--logtostderr${word}`]).positionals,
      ['get-credentials'],
      word,
    );
  }
  t.throws(() => readArguments(gcp, ['--logtostderr=maybe']));
  t.end();
});

await t.test('after two dashes there are only operands', (t) => {
  t.strictSame(readArguments(acr, ['--', '-r', 'x']).positionals, ['-r', 'x']);
  t.end();
});

await t.test('--version and --help', (t) => {
  t.equal(readArguments(acr, ['--version']).action, 'version');
  t.equal(readArguments(acr, ['-h']).action, 'help');
  t.equal(readArguments(acr, ['azure.json', '--help']).action, 'help');
  t.end();
});

const mistakes: ReadonlyArray<readonly [args: readonly string[], says: string]> = [
  [['--config', 'secret'], 'called with "--config", which acr-credential-provider does not have'],
  [['--config=secret', 'azure.json'], 'called with "--config", which acr-credential-provider does not have'],
  [['-xsecret'], 'called with "-x", which acr-credential-provider does not have'],
  [['azure.json', '--authFlow=gcr'], 'called with "--authFlow", which acr-credential-provider does not have'],
  [['--constructor'], 'called with "--constructor", which acr-credential-provider does not have'],
  [['--registry-mirror'], 'called with --registry-mirror without a value'],
  [['--logtostderr=secret'], 'called with --logtostderr and an invalid value'],
];
for (const [args, message] of mistakes) {
  await t.test(`an unknown argument is named without its value: ${args.join(' ')}`, (t) => {
    t.throws(() => readArguments(acr, args), { message, remedy: /^acr-credential-provider --help / });
    t.end();
  });
}

const runtime: CompatRuntime = {
  env: {},
  host: fakeHost({ '/azure.json': '{"useManagedIdentityExtension":true}' }),
  openHttp: () => ({ send: async () => Promise.reject(new Error('no request is expected')) }),
};
const unknownArguments: ReadonlyArray<readonly [provider: EmulatedProvider, args: readonly string[], message: string]> =
  [
    [acr, [], 'called without an argument'],
    [acr, ['/azure.json', 'more'], 'called with the unknown argument "more"'],
    [gcp, [], 'called without the command get-credentials'],
    [gcp, ['get-login'], 'called with the unknown argument "get-login"'],
    [gcp, ['get-credentials', 'more\n'], 'called with the unknown argument "more\\n"'],
    [gcp, ['get-credentials', '--authFlow', 'gcp'], '--authFlow is "gcp", which is unknown'],
  ];
for (const [provider, args, message] of unknownArguments) {
  await t.test(`an operand too many or too few: ${provider.name} ${args.join(' ')}`, async (t) => {
    await t.rejects(async () => provider.createMode(readArguments(provider, args), runtime), { message });
  });
}

await t.test('the names under which we emulate another provider', async (t) => {
  const names = ['ecr-credential-provider', 'acr-credential-provider', 'auth-provider-gcp'];
  for (const name of names) {
    const called = findEmulatedProvider(`/opt/bin/${name}`);
    t.equal((await called?.())?.name, name);
  }
  for (const other of ['polycloud-credential-provider', 'ecr-credential-provider.old', 'constructor', '', 'node']) {
    t.equal(findEmulatedProvider(other), undefined, other);
  }
});
