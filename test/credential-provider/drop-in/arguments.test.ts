import t from 'tap';
import { acr } from '../../../credential-provider/drop-in/acr.ts';
import { readArguments } from '../../../credential-provider/drop-in/arguments.ts';
import { dropInCalled } from '../../../credential-provider/drop-in/by-name.ts';
import { gcp } from '../../../credential-provider/drop-in/gcp.ts';

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
      t.match(readArguments(acr, args), { words: ['azure.json'], flags: { 'registry-mirror': mirror }, wish: 'run' });
    }
    t.end();
  });
}

await t.test('how much is said', (t) => {
  for (const args of [['-v', '4'], ['-v=4'], ['-v4'], ['--v', '4'], ['--v=4']]) {
    t.equal(readArguments(gcp, ['get-credentials', ...args]).verbosity, 4, args.join(' '));
  }
  t.equal(readArguments(gcp, []).verbosity, 0);
  t.equal(readArguments(gcp, ['-v', 'much']).verbosity, 0);
  t.end();
});

await t.test('switches, on and off, in all of Go’s words', (t) => {
  for (const word of ['', '=true', '=T', '=1', '=false', '=F', '=0']) {
    t.strictSame(readArguments(gcp, ['get-credentials', `--logtostderr${word}`]).words, ['get-credentials'], word);
  }
  t.throws(() => readArguments(gcp, ['--logtostderr=maybe']));
  t.end();
});

await t.test('after two dashes there are only words', (t) => {
  t.strictSame(readArguments(acr, ['--', '-r', 'x']).words, ['-r', 'x']);
  t.end();
});

await t.test('what is wished instead', (t) => {
  t.equal(readArguments(acr, ['--version']).wish, 'version');
  t.equal(readArguments(acr, ['-h']).wish, 'help');
  t.equal(readArguments(acr, ['azure.json', '--help']).wish, 'help');
  t.end();
});

await t.test('another program’s arguments are an error that says where to look, and quotes nothing', (t) => {
  for (const args of [['--config', 'secret'], ['--registry-mirror'], ['-x'], ['--authFlow=gcr']]) {
    t.throws(() => readArguments(acr, args), {
      message: 'called with an argument that acr-credential-provider does not have',
      remedy: /^acr-credential-provider --help /,
    });
  }
  t.end();
});

await t.test('by which names we are another program', async (t) => {
  const names = ['ecr-credential-provider', 'acr-credential-provider', 'auth-provider-gcp'];
  for (const name of names) {
    const called = dropInCalled(`/opt/bin/${name}`);
    t.equal((await called?.())?.name, name);
  }
  for (const other of ['polycloud-credential-provider', 'ecr-credential-provider.old', 'constructor', '', 'node']) {
    t.equal(dropInCalled(other), undefined, other);
  }
});
