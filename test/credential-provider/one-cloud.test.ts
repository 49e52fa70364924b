import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { clouds } from '../../clouds/index.ts';
import { requestVersions } from '../../schemas/credential-provider.ts';

const root = join(import.meta.dirname, '..', '..');

/** Writes the URL of each module that is loaded to standard error. */
const hooks = `data:text/javascript,import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => { process.stderr.write('loaded ' + url + '\\n'); return next(url, context); } });`;

/** Without any credentials, so that the login fails where the cloud would be asked. */
const logins: Readonly<Record<string, { readonly image: string; readonly login: string; readonly problem: RegExp }>> = {
  aws: {
    image: '123456789012.dkr.ecr.us-west-2.amazonaws.com/app:1',
    login: 'registry/login.ts',
    problem: /no AWS credentials/,
  },
  digitalocean: {
    image: 'registry.digitalocean.com/my-registry/app:1',
    login: 'registry/login.ts',
    problem: /there is no API token for DigitalOcean/,
  },
};
for (const [name, { image, login, problem }] of Object.entries(logins)) {
  await t.test(`a login of ${name} loads the code of no other cloud`, (t) => {
    const request = { apiVersion: requestVersions[0], kind: 'CredentialProviderRequest', image };
    const { stderr } = spawnSync(process.execPath, ['--import', hooks, 'credential-provider/main.ts'], {
      cwd: root,
      env: { AWS_EC2_METADATA_DISABLED: 'true', HOME: '/nonexistent' },
      input: JSON.stringify(request),
      encoding: 'utf8',
    });
    t.match(stderr, problem);
    const loaded = [...stderr.matchAll(/^loaded file:.*\/clouds\/(?<file>[a-z]+\/.*\.ts)$/gm)];
    const files = loaded.map(({ groups }) => groups?.['file'] ?? '').filter((file) => !file.endsWith('/traits.ts'));
    t.ok(files.includes(`${name}/${login}`), 'what was loaded is known');
    const others = clouds.filter((cloud) => cloud.name !== name).map((cloud) => cloud.name);
    t.strictSame(
      files.filter((file) => others.some((other) => file.startsWith(`${other}/`))),
      [],
    );
    t.end();
  });
}
