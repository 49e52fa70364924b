import { cloudNames } from './hosts.ts';
import type { ImageChoice, ImageOwner } from './images.ts';
import { mutateBytes, mutateText, mutateValue } from './mutate.ts';
import { oddText, oddValue, secretText } from './odd-values.ts';
import type { Random } from '../../support/random.ts';
import { chooseAnnotations } from './roles.ts';
import { federationToken, signedToken } from './tokens.ts';

/** What is written to standard input, most often a request. */
export interface GeneratedRequest {
  readonly bytes: Buffer;
  readonly image: string;
  readonly token: string | undefined;
  readonly owner: ImageOwner;
}

export function generateRequest(random: Random, { image, owner }: ImageChoice): GeneratedRequest {
  const token = random.chance(0.35) ? chooseToken(random, owner) : undefined;
  const annotations = random.chance(token === undefined ? 0.1 : 0.95) ? chooseAnnotations(random, owner) : undefined;
  const request = {
    kind: 'CredentialProviderRequest',
    apiVersion: `credentialprovider.kubelet.k8s.io/${random.pick(['v1', 'v1', 'v1', 'v1beta1', 'v1alpha1'])}`,
    image,
    ...(token !== undefined && { serviceAccountToken: token }),
    ...(annotations !== undefined && { serviceAccountAnnotations: annotations }),
    ...(random.chance(0.1) && { futureField: { nested: [1, 2, 3] } }),
  };
  return { bytes: encode(random, request), image, token, owner };
}

function encode(random: Random, request: object): Buffer {
  const text = `${JSON.stringify(request)}\n`;
  return random.pickWeighted<() => Buffer>([
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

function chooseToken(random: Random, owner: ImageOwner): string {
  const own = cloudNames.find((name) => name === owner) ?? random.pick(cloudNames);
  return random.pickWeighted<() => string>([
    [14, () => federationToken(random, own)],
    [2, () => federationToken(random, random.pick(cloudNames))],
    [1, () => ''],
    [1, () => secretText(random, '', random.between(10, 60))],
    [1, () => signedToken(random, oddClaims(random), 60_000)],
    [1, () => signedToken(random, oddClaims(random), 80)],
    [1, () => `${signedToken(random, {}, 40)}\n${secretText(random, '', 30)}\u0001`],
    [1, () => `${secretText(random, '', 20)} & <${secretText(random, '', 20)}>`],
  ])();
}

/** Claims are read before anybody has checked them. */
function oddClaims(random: Random): object {
  return random.pick<object>([
    { iss: oddValue(random), sub: oddValue(random), aud: oddValue(random) },
    { aud: ['//evil.example/projects/1', 'x.svc.id.goog'], iss: 'https://evil.example' },
    { aud: 'lab-project.svc.id.goog', iss: 'https://container.googleapis.com.evil.example/v1' },
    { exp: oddValue(random) },
    [oddText(random)],
  ]);
}
