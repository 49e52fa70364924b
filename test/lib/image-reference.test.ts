import t from 'tap';
import { parseImageReference } from '../../lib/image-reference.ts';

/** image → [registry, repository] */
const validImages: Readonly<Record<string, readonly [registry: string, repository: string]>> = {
  'registry.example/app': ['registry.example', 'app'],
  'registry.example/team/app': ['registry.example', 'team/app'],
  'registry.example/app:1.2': ['registry.example', 'app'],
  'registry.example/app@sha256:0123abcd': ['registry.example', 'app'],
  'registry.example/app:1.2@sha256:0123abcd': ['registry.example', 'app'],
  'registry.example/team:x/app:1.2': ['registry.example', 'team:x/app'],
  'registry.example:5000/app:1.2': ['registry.example:5000', 'app'],
  'registry.example:1/app': ['registry.example:1', 'app'],
  'registry.example:65535/app': ['registry.example:65535', 'app'],
  'registry.example:443/a/b/c@sha256:00': ['registry.example:443', 'a/b/c'],
  'localhost/app': ['localhost', 'app'],
  'localhost:5000/app': ['localhost:5000', 'app'],
  'host:5000/app': ['host:5000', 'app'],
  '10.0.0.1/app': ['10.0.0.1', 'app'],
  '10.0.0.1:5000/app': ['10.0.0.1:5000', 'app'],
  'xn--80ak6aa92e.example/app': ['xn--80ak6aa92e.example', 'app'],
  'a-b.c-d.example/app': ['a-b.c-d.example', 'app'],
  'a--b.example/app': ['a--b.example', 'app'],
  '0.example/app': ['0.example', 'app'],
  'registry.example/__proto__': ['registry.example', '__proto__'],
  [`${'a'.repeat(63)}.example/app`]: [`${'a'.repeat(63)}.example`, 'app'],
  'docker.io/library/app': ['docker.io', 'library/app'],
  'index.docker.io/library/app': ['index.docker.io', 'library/app'],
  // Docker's rule: without a dot, a colon or upper case the first part is a folder on Docker Hub.
  app: ['docker.io', 'app'],
  'app:1.2': ['docker.io', 'app'],
  'app@sha256:00': ['docker.io', 'app'],
  'library/app': ['docker.io', 'library/app'],
  'my_team/app:1': ['docker.io', 'my_team/app'],
  'registry.example': ['docker.io', 'registry.example'],
  '123456789012.dkr.ecr.us-east-1.amazonaws.com': ['docker.io', '123456789012.dkr.ecr.us-east-1.amazonaws.com'],
  'constructor/app': ['docker.io', 'constructor/app'],
};

for (const [image, [registry, repository]] of Object.entries(validImages)) {
  await t.test(`${short(image)} is ${repository} of ${short(registry)}`, (t) => {
    const parsed = parseImageReference(image);
    const [host, port] = registry.split(':');
    t.strictSame(parsed, { host, ...(port !== undefined && { port }), registry, repository });
    t.end();
  });
}

const rejectedImages: Readonly<Record<string, readonly string[]>> = {
  'user-info before the host': [
    'user@registry.example/app',
    'user:word@registry.example/app',
    'registry.example@evil.example/app',
    'registry.example:443@evil.example/app',
    '@registry.example/app',
  ],
  'upper case': [
    'Registry.example/app',
    'REGISTRY.EXAMPLE/app',
    'Team/app',
    'registry.examplE:5000/app',
    'LOCALHOST/app',
  ],
  'a trailing dot': ['registry.example./app', 'registry.example.:443/app', 'registry.example../app', './app', '../app'],
  'an empty label': ['registry..example/app', '.registry.example/app', '.../app'],
  'a percent sign': [
    'registry%2eexample/app',
    'registry.example%00/app',
    'registry.example%/app',
    '%72egistry.example/app',
  ],
  'a port that is none': [
    'registry.example:/app',
    'registry.example:0/app',
    'registry.example:00/app',
    'registry.example:0443/app',
    'registry.example:65536/app',
    'registry.example:99999/app',
    'registry.example:443443/app',
    'registry.example:-1/app',
    'registry.example:+443/app',
    'registry.example:0x1bb/app',
    'registry.example:4e2/app',
    'registry.example:44a/app',
    'registry.example: 443/app',
    'registry.example:443:443/app',
    'registry.example:٤٤٣/app',
    ':443/app',
  ],
  'IPv6 brackets': ['[::1]/app', '[::1]:5000/app', '[fd00:ec2::254]/app', '::1/app', '[registry.example]/app'],
  'a scheme': ['https://registry.example/app', 'http://registry.example/app', 'docker://registry.example/app'],
  'letters that look like others': [
    'rеgistry.example/app',
    'registry․example/app',
    'registry。example/app',
    'registry.example⁄evil.example/app',
    'ｒegistry.example/app',
    'registry.example\u00ad/app',
    'registry\u200b.example/app',
    'registry.exampleı/app',
    'ＲＥＧ.example/app',
  ],
  backslashes: ['registry.example\\@evil.example/app', 'registry.example\\/app', '\\\\registry.example/app'],
  'white space and control characters': [
    ' registry.example/app',
    'registry.example /app',
    'registry.example\t/app',
    'registry.example\n/app',
    'registry.example\r\n.evil.example/app',
    'registry.example\0/app',
    'registry.example\0.evil.example/app',
    '\u00a0registry.example/app',
    '\ufeffregistry.example/app',
    // Without a registry, and behind it: neither is for Docker Hub or for that registry.
    'app\n',
    'team/a\0pp',
    'team\u001b/app',
    'app one',
    'registry.example/app\u007f',
    'registry.example/app:1\r\n2',
  ],
  'what no host name holds': [
    'registry.example?x/app',
    'registry.example#x/app',
    'registry.example;x/app',
    'registry.example,evil.example/app',
    'registry_one.example/app',
    'registry.*/app',
    '*.example/app',
    'registry!.example/app',
    "registry'.example/app",
    'registry.example$/app',
    'registry.example"/app',
    'registry.example`/app',
  ],
  'a label that begins or ends with a dash': [
    '-registry.example/app',
    'registry-.example/app',
    'registry.-example/app',
    'registry.example-/app',
  ],
  'an over-long name': [
    `${'a'.repeat(64)}.example/app`,
    `registry.${'a'.repeat(64)}/app`,
    `${'a.'.repeat(127)}ab/app`,
    `${'a.'.repeat(50_000)}example/app`,
    `${'a'.repeat(100_000)}.example/app`,
  ],
};

for (const [what, images] of Object.entries(rejectedImages)) {
  await t.test(`${what}: the image is refused`, (t) => {
    for (const image of images) t.equal(parseImageReference(image), undefined, short(image));
    t.end();
  });
}

await t.test('whatever is accepted has a host of plain lower-case ASCII', (t) => {
  const pieces = ['a', '1', '-', '.', ':', '/', '@', '%', 'A', '_', ' ', '\\', '[', 'é', '\n', '443', 'example'];
  let seed = 1;
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  let accepted = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const image = Array.from({ length: next(9) }, () => pieces[next(pieces.length)]).join('');
    const parsed = parseImageReference(image);
    if (parsed === undefined) continue;
    accepted += 1;
    if (!/^[a-z0-9][a-z0-9.-]*$/.test(parsed.host) || /\.\.|\.$|-$/.test(parsed.host)) t.fail(JSON.stringify(image));
    const registry = parsed.port === undefined ? parsed.host : `${parsed.host}:${parsed.port}`;
    if (parsed.registry !== registry) t.fail(JSON.stringify(image));
  }
  t.ok(accepted > 1_000, 'enough of them were accepted to say something');
  t.end();
});

function short(image: string): string {
  return JSON.stringify(image.length > 80 ? `${image.slice(0, 80)}…` : image).slice(1, -1);
}
