import { join } from 'node:path';

import t from 'tap';
import type { AwsCredentialSources } from '../../../../clouds/aws/identity/credentials.ts';
import { profileCredentials } from '../../../../clouds/aws/identity/profile.ts';
import { readProfiles } from '../../../../clouds/aws/identity/profile-settings.ts';
import { realHost } from '../../../../lib/host.ts';
import type { Host } from '../../../../lib/host.ts';
import { unusedContext } from '../../contexts.ts';
import { awsConfig } from '../config.ts';

const id = (letter: string): string => `AKIA${letter.repeat(16)}`;
const keysOf = (letter: string): string =>
  `aws_access_key_id = ${id(letter)}\naws_secret_access_key = secret/${letter}`;

const config = `
[default]
region = eu-west-1

[profile keys]
${keysOf('K')}

[profile session]
${keysOf('S')}
aws_session_token = session

[profile both]
${keysOf('B')}
region = eu-west-1

[profile process]
credential_process = print-keys --profile x

[profile broken-process]
credential_process = exit 3

[profile broken-keys]
aws_access_key_id = AKIA
aws_secret_access_key = x

[profile half]
aws_access_key_id = ${id('H')}

[profile sso]
sso_session = corp

[sso-session corp]
sso_start_url = https://corp.example

[profile mfa]
role_arn = arn:aws:iam::123456789012:role/a
source_profile = keys
mfa_serial = arn:aws:iam::123456789012:mfa/me

[profile nobody]
role_arn = arn:aws:iam::123456789012:role/a

[profile lost]
role_arn = arn:aws:iam::123456789012:role/a
source_profile = missing

[profile odd-source]
role_arn = arn:aws:iam::123456789012:role/a
credential_source = Elsewhere

[profile ring-a]
role_arn = arn:aws:iam::123456789012:role/a
source_profile = ring-b

[profile ring-b]
role_arn = arn:aws:iam::123456789012:role/b
source_profile = ring-a

[profile token]
role_arn = arn:aws:iam::123456789012:role/a
web_identity_token_file = /nonexistent/token
`;

const credentials = `
[both]
aws_access_key_id = ${id('C')}
aws_secret_access_key = secret/C

[only-here]
${keysOf('O')}
`;

const directory = t.testdir({ config, credentials, home: { '.aws': { config: `[default]\n${keysOf('D')}` } } });
const env = { AWS_CONFIG_FILE: join(directory, 'config'), AWS_SHARED_CREDENTIALS_FILE: join(directory, 'credentials') };

await t.test('both files are one, and the credentials file wins key by key', async (t) => {
  const profiles = await readProfiles(sourcesWith(env, realHost).settings);
  t.match(profiles['both'], { aws_access_key_id: id('C'), region: 'eu-west-1' });
  t.match(profiles['keys'], { aws_access_key_id: id('K') });
  t.match(profiles['only-here'], { aws_access_key_id: id('O') });
});

await t.test('without files there are no profiles', async (t) => {
  const nowhere = { AWS_CONFIG_FILE: '/nonexistent/a', AWS_SHARED_CREDENTIALS_FILE: '/nonexistent/b' };
  t.strictSame(await readProfiles(sourcesWith(nowhere, realHost).settings), {});
  t.equal(await profileCredentials(undefined, sourcesWith(nowhere, realHost)), undefined);
});

await t.test('a file that cannot be read is not taken for a missing one', async (t) => {
  const folder = { ...env, AWS_CONFIG_FILE: directory };
  await t.rejects(readProfiles(sourcesWith(folder, realHost).settings), { kind: 'misconfigured', message: directory });
});

await t.test('they are looked for in the home directory, and empty variables are unset', async (t) => {
  const host: Host = { ...realHost, homeDirectory: join(directory, 'home') };
  const found = await profileCredentials(undefined, sourcesWith({ AWS_CONFIG_FILE: '' }, host));
  t.match(found, { accessKeyId: id('D'), source: 'keys of profile default' });
});

const found: Readonly<Record<string, string>> = { keys: 'K', session: 'S', both: 'C', 'only-here': 'O' };
for (const [name, letter] of Object.entries(found)) {
  await t.test(`profile ${name} gives its keys`, async (t) => {
    const keys = await profileCredentials(name, sourcesWith(env, realHost));
    t.match(keys, { accessKeyId: id(letter), source: `keys of profile ${name}` });
    t.equal(keys?.secretAccessKey.reveal(), `secret/${letter}`);
    t.equal(keys?.sessionToken?.reveal(), name === 'session' ? 'session' : undefined);
  });
}

await t.test('a profile with only a region has no credentials', async (t) => {
  t.equal(await profileCredentials(undefined, sourcesWith(env, realHost)), undefined);
  t.equal(await profileCredentials('default', sourcesWith(env, realHost)), undefined);
});

await t.test('a process of a profile is run with its own command line', async (t) => {
  const commands: string[] = [];
  const output = JSON.stringify({ Version: 1, AccessKeyId: id('P'), SecretAccessKey: 'secret' });
  const host: Host = {
    ...realHost,
    runCommand: async (commandLine) => {
      commands.push(commandLine);
      return output;
    },
  };
  const keys = await profileCredentials('process', sourcesWith(env, host));
  t.strictSame(commands, ['print-keys --profile x']);
  t.match(keys, { accessKeyId: id('P'), source: 'credential_process of profile process' });
});

const mistakes: readonly (readonly [profile: string, says: RegExp])[] = [
  ['missing', /^there is no profile missing/],
  ['broken-process', /^credential_process of profile broken-process failed with exit code 3$/],
  ['broken-keys', /^the keys of profile broken-keys are not keys$/],
  ['half', /^the keys of profile half are not keys$/],
  ['sso', /^profile sso needs a person/],
  ['mfa', /^profile mfa needs a person/],
  ['nobody', /^profile nobody has a role_arn, but no source of credentials/],
  ['lost', /^profile lost has a role_arn, but no source of credentials/],
  ['odd-source', /^profile odd-source has a role_arn, but no source of credentials/],
  ['ring-a', /^profile ring-b has a role_arn, but no source of credentials/],
  ['token', /^there is no token in \/nonexistent\/token$/],
];

for (const [profile, says] of mistakes) {
  await t.test(`profile ${profile} is an error before any request`, async (t) => {
    await t.rejects(profileCredentials(profile, sourcesWith(env, realHost)), { kind: 'misconfigured', message: says });
  });
}

function sourcesWith(variables: Readonly<Record<string, string>>, host: Host): AwsCredentialSources {
  const settings = { env: variables, host, config: awsConfig };
  return { settings, variant: { region: 'us-east-1', fips: false, dualStack: false }, context: unusedContext };
}
