import { isDeepStrictEqual } from 'node:util';
import { clouds } from '../../../../clouds/index.ts';
import { systemClock } from '../../../../lib/clock.ts';
import type { Host } from '../../../../lib/host.ts';
import { answerRequest } from '../../../../lib/registry-login/answer-request.ts';
import type { ResolvedRegistry } from '../../../../lib/registry-login/resolve-registry.ts';
import { createRedactor } from '../../../../lib/registry-login/redactor.ts';
import { parseRequest } from '../../../../lib/registry-login/parse-request.ts';
import type { Identity } from '../../../../clouds/cloud.ts';
import { parseImageReference } from '../../../../lib/image-reference.ts';
import type { ImageReference } from '../../../../lib/image-reference.ts';
import { Secret } from '../../../../lib/secret.ts';
import { defaultConfig } from '../../../../schemas/config/defaults.ts';
import type { CredentialProviderResponse } from '../../../../schemas/credential-provider.ts';
import { parseObject } from '../../generated/case-facts.ts';
import { chooseImage } from '../../generated/images.ts';
import { generateRequest } from '../../generated/requests.ts';
import type { GeneratedRequest } from '../../generated/requests.ts';
import { checkResponse } from '../../generated/response-checks.ts';
import type { Random } from '../../../support/random.ts';
import { attempt, checkError } from '../target.ts';
import type { FuzzTarget, FuzzCase } from '../target.ts';
import { cloudOfHost } from './second-host-table.ts';
import { isNoFolder, readImage } from './second-image-reading.ts';
import type { ReferenceReading } from './second-image-reading.ts';

/** Image names: our parser against another one. */
const imageNameCase =
  (parse: typeof parseImageReference): FuzzCase =>
  (random) => {
    const image = oddImage(random);
    const reference = parse(image);
    const second = readImage(image);
    const isSame = isDeepStrictEqual(withoutPort(reference), second);
    // An invalid folder of Docker Hub may also be refused.
    const isStricter = reference === undefined && second?.host === 'docker.io' && isNoFolder(image);
    const problem = `${JSON.stringify(image)} is ${JSON.stringify(reference)}, by another reading ${JSON.stringify(second)}`;
    return {
      end: reference === undefined ? 'no image of a plain host' : 'image',
      problems: isSame || isStricter ? [] : [problem],
    };
  };

/** Where the port is not the one in the registry's name, nothing. */
function withoutPort(reference: ImageReference | undefined): ReferenceReading | undefined {
  if (reference === undefined) {
    return undefined;
  }
  const { host, port, registry, repository } = reference;
  return port === undefined || registry === `${host}:${port}` ? { host, registry, repository } : undefined;
}

function oddImage(random: Random): string {
  const { image } = chooseImage(random);
  const location = random.between(0, image.length);
  return random.pickWeighted<() => string>([
    [2, () => image],
    [
      4,
      () =>
        image.slice(0, location) +
        random.characters('aA0-_.:/@%é\\?#\t \0', random.between(1, 3)) +
        image.slice(location),
    ],
    [2, () => image.slice(0, location) + image.slice(location + random.between(1, 4))],
    [4, () => random.characters('ab0-._:/@', random.between(0, 30))],
    [1, () => `${random.characters('aaaaab0-', 70)}.${random.characters('ab0-.', random.between(0, 250))}/app`],
    [1, () => `host.example:${random.between(0, 70_000)}/app`],
  ])();
}

type RunRequest = typeof answerRequest;

/** Requests, with everything real but for the login itself. */
const requestCase =
  (answer: RunRequest): FuzzCase =>
  async (random) => {
    const request = generateRequest(random, chooseImage(random));
    const asked: { found: ResolvedRegistry; as: Identity }[] = [];
    const result = await attempt(() =>
      answer(request.bytes.toString('utf8'), {
        clouds,
        runtime: { env: {}, host: emptyHost },
        clock: systemClock,
        redactor: createRedactor(),
        readConfig: async () => defaultConfig,
        logins: {
          get: async (found, as) => {
            asked.push({ found, as });
            return { username: 'user', password: new Secret('word'), endsWithToken: false };
          },
        },
      }),
    );
    if ('error' in result) {
      return { end: 'failure', problems: [...checkError(result.error), ...checkNoRequests(asked)] };
    }
    const problems = [
      ...checkAnswer(result.value, request),
      ...checkIdentity(asked, request),
      ...checkReading(request),
    ];
    return { end: asked.length > 0 ? 'login' : 'empty answer', problems };
  };

const emptyHost: Host = {
  readText: async () => undefined,
  runCommand: () => Promise.reject(new Error('nothing is run')),
  homeDirectory: '/nowhere',
};

function checkNoRequests(asked: readonly object[]): readonly string[] {
  return asked.length === 0 ? [] : ['a login for a request that failed'];
}

function checkAnswer(response: CredentialProviderResponse, request: GeneratedRequest): readonly string[] {
  const image = String(parseObject(request.bytes)['image']);
  const host = readImage(image)?.host ?? '';
  const shouldLogIn = cloudOfHost(host) !== undefined;
  const hasLogin = Object.keys(response.auth).length > 0;
  const generated = { request, files: {}, env: {}, verbosity: 0, wallAtStartMs: 0, mayHang: false, script: noScript };
  return [
    ...checkResponse(`${JSON.stringify(response)}\n`, generated),
    ...(hasLogin && !shouldLogIn ? [`a login for ${JSON.stringify(image)}, which is in no table`] : []),
    ...(!hasLogin && shouldLogIn ? [`no login for ${JSON.stringify(image)}`] : []),
  ];
}

function noScript(): never {
  throw new Error('nobody is asked');
}

/** The pod's token, exactly when one was sent. */
function checkIdentity(asked: readonly { readonly as: Identity }[], { bytes }: GeneratedRequest): readonly string[] {
  const { serviceAccountToken: token } = parseObject(bytes);
  const isPod = typeof token === 'string' && token !== '';
  return asked.flatMap(({ as }) => {
    const shown = as.kind === 'token' ? as.token.reveal() : undefined;
    return shown === (isPod ? token : undefined) ? [] : ['the login is not for the one who asks'];
  });
}

/** What was written is what is read. */
function checkReading({ bytes }: GeneratedRequest): readonly string[] {
  const { image, serviceAccountToken: token, serviceAccountAnnotations: annotations } = parseObject(bytes);
  const read = requestIn(bytes);
  if (read === undefined) {
    return ['an answer to what cannot be read'];
  }
  // No annotation of Kubernetes is called that: a name begins with a letter or a digit.
  const isNamed = ([name]: readonly [string, unknown]): boolean => name !== '__proto__';
  const written = Object.fromEntries(Object.entries({ ...(annotations as object | undefined) }).filter(isNamed));
  const isSame = read.image === image && (read.token?.reveal() ?? '') === (token ?? '');
  return isSame && isDeepStrictEqual({ ...read.annotations }, written)
    ? []
    : ['the request was read as something else'];
}

function requestIn(bytes: Buffer): ReturnType<typeof parseRequest> | undefined {
  try {
    return parseRequest(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

export const imageNames: FuzzTarget = {
  name: 'image names',
  runCase: imageNameCase(parseImageReference),
  share: 0.5,
  ends: ['image', 'no image of a plain host'],
  planted: {
    'user-info is cut off': imageNameCase((image) => parseImageReference(image.replace(/^[^/]*@(?=[^/]*\/)/, ''))),
    'upper case is a host too': imageNameCase((image) => parseImageReference(image.toLowerCase())),
    'the tag stays': imageNameCase((image) => {
      const found = parseImageReference(image);
      return found && { ...found, repository: `${found.repository}${/:[^/@]*$/.exec(image)?.[0] ?? ''}` };
    }),
  },
};

export const requests: FuzzTarget = {
  name: 'requests',
  runCase: requestCase(answerRequest),
  share: 0.5,
  ends: ['login', 'empty answer', 'failure'],
  planted: {
    'hosts are matched by their end': requestCase((text, deps) =>
      answerRequest(text.replace(/(?<="image":")[a-z0-9.-]*\.(?=azurecr\.io)/, 'x.'), deps),
    ),
    'what cannot be read gets an empty answer': requestCase(async (text, deps) =>
      answerRequest(text, deps).catch(() => ({
        kind: 'CredentialProviderResponse' as const,
        apiVersion: 'credentialprovider.kubelet.k8s.io/v1' as const,
        cacheKeyType: 'Image' as const,
        cacheDuration: '0s',
        auth: {},
      })),
    ),
    'pods get the login of the node': requestCase((text, deps) =>
      answerRequest(text.replace('"serviceAccountToken"', '"otherField"'), deps),
    ),
  },
};
