import t from 'tap';
import { parseRequest } from '../../../lib/registry-login/parse-request.ts';

const v1 = 'credentialprovider.kubelet.k8s.io/v1';
const minimal = { kind: 'CredentialProviderRequest', apiVersion: v1, image: 'registry.example/app' };

await t.test("the kubelet's own bytes are read", (t) => {
  const bytes = `{"kind":"CredentialProviderRequest","apiVersion":"credentialprovider.kubelet.k8s.io/v1","image":"test.registry.io/foobar","serviceAccountToken":"service-account-token","serviceAccountAnnotations":{"domain.io/annotation1":"value1"}}\n`;
  const request = parseRequest(bytes);
  t.equal(request.apiVersion, v1);
  t.equal(request.image, 'test.registry.io/foobar');
  t.equal(request.token?.reveal(), 'service-account-token');
  t.strictSame(request.annotations, { 'domain.io/annotation1': 'value1' });
  t.notMatch(JSON.stringify(request), 'service-account-token', 'and the token is kept secret from then on');
  t.end();
});

for (const version of ['v1', 'v1beta1', 'v1alpha1']) {
  await t.test(`version ${version} is read`, (t) => {
    const apiVersion = `credentialprovider.kubelet.k8s.io/${version}`;
    t.equal(parseRequest(JSON.stringify({ ...minimal, apiVersion })).apiVersion, apiVersion);
    t.end();
  });
}

const tolerated: Readonly<Record<string, object>> = {
  'unknown fields': { ...minimal, podName: 'web', nested: { a: [1] } },
  'no token and no annotations': minimal,
  'null for what is absent': { ...minimal, serviceAccountToken: null, serviceAccountAnnotations: null },
};

for (const [what, request] of Object.entries(tolerated)) {
  await t.test(`${what} make a request for the node`, (t) => {
    const { token, annotations, image } = parseRequest(JSON.stringify(request));
    t.equal(token, undefined);
    t.strictSame(annotations, {});
    t.equal(image, minimal.image);
    t.end();
  });
}

const mistakes: readonly (readonly [input: string, says: string])[] = [
  ['', 'standard input is empty'],
  [' \n\t', 'standard input is empty'],
  ['{', 'standard input is not one JSON object'],
  ['<html></html>', 'standard input is not one JSON object'],
  [`${JSON.stringify(minimal)}${JSON.stringify(minimal)}`, 'standard input is not one JSON object'],
  [`\ufeff${JSON.stringify(minimal)}`, 'standard input is not one JSON object'],
  ['kind: CredentialProviderRequest', 'standard input is not one JSON object'],
  ['null', 'the request is missing or of the wrong type'],
  ['[]', 'the request is missing or of the wrong type'],
  ['"text"', 'the request is missing or of the wrong type'],
  ['{}', 'kind must be CredentialProviderRequest'],
  [changed({ kind: 'CredentialProviderResponse' }), 'kind must be CredentialProviderRequest'],
  [changed({ apiVersion: undefined }), `apiVersion must be ${v1} or ${v1}beta1 or ${v1}alpha1`],
  [changed({ apiVersion: 'credentialprovider.kubelet.k8s.io/v2' }), `apiVersion must be ${v1} or`],
  [changed({ apiVersion: ['x'] }), `apiVersion must be ${v1} or`],
  [changed({ image: undefined }), 'image is missing or of the wrong type'],
  [changed({ image: 7 }), 'image is missing or of the wrong type'],
  [changed({ image: null }), 'image is missing or of the wrong type'],
  [changed({ image: '' }), 'image is empty'],
  [changed({ serviceAccountToken: '' }), 'serviceAccountToken is empty'],
  [changed({ serviceAccountToken: 7 }), 'serviceAccountToken is missing or of the wrong type'],
  [changed({ serviceAccountAnnotations: ['x'] }), 'serviceAccountAnnotations is missing or of the wrong type'],
  [changed({ serviceAccountAnnotations: { a: 7 } }), 'serviceAccountAnnotations.a is missing or of the wrong type'],
];

for (const [input, says] of mistakes) {
  await t.test(`refused: ${says}, in ${JSON.stringify(input.slice(0, 30))}`, (t) => {
    t.throws(() => parseRequest(input), {
      kind: 'invalid-response',
      message: `the request cannot be read: ${says}`,
      remedy: /kubelet/,
    });
    t.end();
  });
}

await t.test('a message about a token does not contain the token', (t) => {
  const input = changed({ serviceAccountToken: { secret: 'abcdefgh' }, image: 'abcdefgh' });
  t.throws(() => parseRequest(input), { message: /^((?!abcdefgh).)*$/ });
  t.end();
});

await t.test('a long field name is shortened', (t) => {
  const input = changed({ serviceAccountAnnotations: { [`a${'b'.repeat(5_000)}`]: 7 } });
  t.throws(() => parseRequest(input), { message: /^.{20,200}$/ });
  t.end();
});

await t.test('a request cannot change what all objects inherit', (t) => {
  const annotations = '{"__proto__":{"polluted":"true"}}';
  const input = JSON.stringify(minimal).replace(
    /\}$/,
    `,"__proto__":{"polluted":true},"serviceAccountAnnotations":${annotations}}`,
  );
  try {
    parseRequest(input);
  } catch {
    t.comment('refused');
  }
  t.notOk('polluted' in {});
  t.end();
});

function changed(changes: object): string {
  return JSON.stringify({ ...minimal, ...changes });
}
