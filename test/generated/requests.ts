import { chooseImage } from './images.ts';
import { mutateBytes, mutateText, mutateValue } from './mutate.ts';
import { oddText, secretText } from './odd-values.ts';
import type { Random } from './random.ts';

/** What is written to standard input, most often a request. */
export interface GeneratedRequest {
  readonly bytes: Buffer;
  readonly image: string;
  readonly token: string | undefined;
  /** The image is in no cloud's host table, whatever the configuration says of it. */
  readonly nobodys: boolean;
}

export function generateRequest(random: Random): GeneratedRequest {
  const { image, nobodys } = chooseImage(random);
  const token = random.chance(0.3) ? chooseToken(random) : undefined;
  const annotations = random.chance(token === undefined ? 0.1 : 0.95) ? chooseAnnotations(random) : undefined;
  const request = {
    kind: 'CredentialProviderRequest',
    apiVersion: `credentialprovider.kubelet.k8s.io/${random.pick(['v1', 'v1', 'v1', 'v1beta1', 'v1alpha1'])}`,
    image,
    ...(token !== undefined && { serviceAccountToken: token }),
    ...(annotations !== undefined && { serviceAccountAnnotations: annotations }),
    ...(random.chance(0.1) && { futureField: { nested: [1, 2, 3] } }),
  };
  return { bytes: encode(random, request), image, token, nobodys };
}

function encode(random: Random, request: object): Buffer {
  const text = `${JSON.stringify(request)}\n`;
  return random.weigh<() => Buffer>([
    [40, () => Buffer.from(text)],
    [3, () => Buffer.from(JSON.stringify(mutateValue(random, request)))],
    [1, () => Buffer.from(JSON.stringify(mutateValue(random, mutateValue(random, request))))],
    [1, () => Buffer.from(mutateText(random, text))],
    [1, () => mutateBytes(random, Buffer.from(text))],
    [1, () => Buffer.from(text.replace('"image":', `"image":${JSON.stringify(oddText(random))},"image":`))],
    [1, () => Buffer.from(`${random.pick(['\uFEFF', ' \n\t', '{}', '[]\n', 'null', '\0'])}${text}`)],
    [1, () => Buffer.from('{"a":'.repeat(random.between(1, 50_000)))],
  ])();
}

function chooseToken(random: Random): string {
  return random.weigh<() => string>([
    [10, () => signedToken(random, random.between(20, 700))],
    [1, () => ''],
    [1, () => secretText(random, '', random.between(10, 60))],
    [1, () => signedToken(random, 60_000)],
    [1, () => `${signedToken(random, 40)}\n${secretText(random, '', 30)}\u0001`],
    [1, () => `${secretText(random, '', 20)} & <${secretText(random, '', 20)}>`],
  ])();
}

function signedToken(random: Random, signatureLength: number): string {
  const parts = [
    { alg: 'RS256', kid: 'lab' },
    { iss: 'https://oidc.lab.example', jti: secretText(random, '', 24) },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return [...parts, secretText(random, '', signatureLength).replaceAll(/[+/]/g, '_')].join('.');
}

const roleKeys = ['eks.amazonaws.com/ecr-role-arn', 'eks.amazonaws.com/role-arn', 'example.com/pull-role'];

function chooseAnnotations(random: Random): Readonly<Record<string, string>> {
  const roles = roleKeys.filter(() => random.chance(0.7)).map((key) => [key, chooseRole(random)] as const);
  const others = random.chance(0.2) ? [[oddText(random), oddText(random)] as const] : [];
  return Object.fromEntries([...roles, ...others]);
}

export function chooseRole(random: Random): string {
  return random.weigh<() => string>([
    [10, () => 'arn:aws:iam::123456789012:role/lab-pod'],
    [
      2,
      () =>
        `arn:${random.pick(['aws-cn', 'aws-us-gov'])}:iam::123456789012:role/team/${'r'.repeat(random.between(1, 64))}`,
    ],
    [1, () => `arn:aws:iam::123456789012:role/${'p/'.repeat(random.between(1, 250))}r`],
    [1, () => mutateText(random, 'arn:aws:iam::123456789012:role/lab-pod')],
    [1, () => oddText(random)],
  ])();
}
