import t from 'tap';
import { hostWithInstanceFile, instanceFile } from '../../../credential-provider/compat/instance-docker-config.ts';
import type { DockerConfigFlow } from '../../../credential-provider/compat/instance-docker-config.ts';
import type { HttpRequest } from '../../../lib/http/http.ts';
import { fakeHost } from '../../clouds/fake-host.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly flavor?: string;
}

const attributes = 'http://169.254.169.254/computeMetadata/v1/instance/attributes';
const config = '{"auths":{"registry.example":{"auth":"dTpw"}}}';

function read(flow: DockerConfigFlow, answers: Readonly<Record<string, Answer>>, asked: HttpRequest[]) {
  const http = {
    send: async (request: HttpRequest) => {
      asked.push(request);
      const { status, body, flavor = 'Google' } = answers[request.url.href] ?? { status: 404, body: '' };
      return Promise.resolve({ status, headers: { 'metadata-flavor': flavor }, body: Buffer.from(body) });
    },
  };
  return hostWithInstanceFile(flow, fakeHost({ '/other': 'as ever' }), http).readText(instanceFile);
}

await t.test('the attribute contains the file, and is read without a proxy', async (t) => {
  const asked: HttpRequest[] = [];
  t.equal(
    await read('dockercfg', { [`${attributes}/google-dockercfg`]: { status: 200, body: config } }, asked),
    config,
  );
  t.match(asked, [{ route: 'direct', headers: { 'metadata-flavor': 'Google' } }]);
});

await t.test('the older format is accepted', async (t) => {
  const body = '{"registry.example":{"auth":"dTpw","email":"a@b.example"}}';
  const text = await read('dockercfg', { [`${attributes}/google-dockercfg`]: { status: 200, body } }, []);
  t.match(JSON.parse(text ?? ''), { auths: { 'registry.example': { auth: 'dTpw' } } });
});

await t.test('the attribute contains a URL, which is read through the proxy', async (t) => {
  const asked: HttpRequest[] = [];
  const address = { status: 200, body: 'https://files.example/dockercfg\n' };
  const answers = {
    [`${attributes}/google-dockercfg-url`]: address,
    'https://files.example/dockercfg': { status: 200, body: config, flavor: '' },
  };
  t.equal(await read('dockercfg-url', answers, asked), config);
  t.equal(asked[1]?.route, 'proxied');
  t.notOk(asked[1]?.headers['metadata-flavor']);
});

await t.test('it is fetched once for any number of reads', async (t) => {
  const asked: string[] = [];
  const bodies: Readonly<Record<string, string>> = {
    [`${attributes}/google-dockercfg-url`]: 'https://files.example/dockercfg',
    'https://files.example/dockercfg': config,
  };
  const http = {
    send: async ({ url }: HttpRequest) => {
      asked.push(url.href);
      const body = Buffer.from(bodies[url.href] ?? '');
      return Promise.resolve({ status: 200, headers: { 'metadata-flavor': 'Google' }, body });
    },
  };
  const { readText } = hostWithInstanceFile('dockercfg-url', fakeHost({}), http);
  t.strictSame([await readText(instanceFile), await readText(instanceFile)], [config, config]);
  t.strictSame(asked, Object.keys(bodies));
});

const failures: ReadonlyArray<readonly [what: string, flow: DockerConfigFlow, answers: Record<string, Answer>]> = [
  ['there is no such attribute', 'dockercfg', {}],
  [
    'another server responds at its address',
    'dockercfg',
    { [`${attributes}/google-dockercfg`]: { status: 200, body: config, flavor: '' } },
  ],
  ['it redirects', 'dockercfg', { [`${attributes}/google-dockercfg`]: { status: 302, body: '' } }],
  [
    'the URL is not valid',
    'dockercfg-url',
    { [`${attributes}/google-dockercfg-url`]: { status: 200, body: 'file:///etc/passwd' } },
  ],
];
for (const [what, flow, answers] of failures) {
  await t.test(`a failure, never an empty file: ${what}`, async (t) => {
    await t.rejects(read(flow, answers, []), { kind: 'misconfigured', message: /google-dockercfg/, remedy: /./ });
  });
}

await t.test('all other files are those of the host', async (t) => {
  const http = { send: async () => Promise.reject(new Error('no request is expected')) };
  t.equal(
    await hostWithInstanceFile('dockercfg', fakeHost({ '/other': 'as ever' }), http).readText('/other'),
    'as ever',
  );
});
