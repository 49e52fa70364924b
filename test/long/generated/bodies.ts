import { aws } from './bodies/aws.ts';
import { azure } from './bodies/azure.ts';
import { google } from './bodies/google.ts';
import { oddExpiry } from './message.ts';
import type { HomeCloud, Message, FakeService } from './message.ts';
import { mutateText, mutateValue } from './mutate.ts';
import { secretText } from './odd-values.ts';
import type { Random } from '../../support/random.ts';
import type { RawRequest, Service } from './raw-servers.ts';

/** All other services have one response. */
const unexpectedService: FakeService = {
  document: (random) => secretText(random, '', 40),
  render: (document) => ({ status: 200, headers: [], body: String(document) }),
  refuse: () => ({ status: 403, headers: [], body: '' }),
  oddLogin: () => ({ status: 200, headers: [], body: '' }),
};

const fakeServices: Readonly<Record<Service, FakeService>> = {
  ...aws,
  ...azure,
  ...google,
  stranger: unexpectedService,
};

/** What the service answers when nothing is wrong. */
export function rightResponse(random: Random, request: RawRequest): Message {
  const { document, render } = fakeServices[request.service];
  return render(
    document(random, request, (usual) => usual),
    request,
  );
}

/** In the right form, but not what was promised. */
export function oddResponse(random: Random, request: RawRequest): Message {
  const { document: make, render, oddLogin } = fakeServices[request.service];
  const document = make(random, request, (usual) => (random.chance(0.5) ? oddExpiry(random) : usual));
  return random.pickWeighted<() => Message>([
    [4, () => render(mutateValue(random, document), request)],
    [4, () => render(document, request)],
    [1, () => changeBody(render(document, request), (body) => mutateText(random, body))],
    [5, () => oddLogin(random, request)],
  ])();
}

export function errorResponse(random: Random, request: RawRequest): Message {
  return fakeServices[request.service].refuse(random, request);
}

/** Where a machine of each cloud has its metadata. */
const metadataClouds: ReadonlyMap<Service, HomeCloud> = new Map([
  ['imds', 'aws'],
  ['azure-imds', 'azure'],
  ['gce', 'gcp'],
]);

const signature: Readonly<Record<HomeCloud, Message['headers']>> = {
  aws: [['server', 'EC2ws']],
  azure: [['server', 'IMDS/150.870.65.1854']],
  gcp: [['metadata-flavor', 'Google']],
  nowhere: [],
};

/** This address is another cloud's metadata service here, or unused. `undefined`: it is the intended one. */
export function foreignResponse({ service }: RawRequest, home: HomeCloud): Message | 'nobody' | undefined {
  const meant = metadataClouds.get(service);
  if (meant === undefined || meant === home) return undefined;
  return home === 'nowhere'
    ? 'nobody'
    : { status: 404, headers: signature[home], body: '<html>404 - Not Found</html>' };
}

function changeBody(message: Message, change: (body: string) => string): Message {
  return { ...message, body: change(message.body) };
}
