import { aws } from './bodies/aws.ts';
import { azure } from './bodies/azure.ts';
import { google } from './bodies/google.ts';
import { oddExpiry } from './message.ts';
import type { Home, Message, Speaker } from './message.ts';
import { mutateText, mutateValue } from './mutate.ts';
import { secretText } from './odd-values.ts';
import type { Random } from '../../support/random.ts';
import type { RawRequest, Service } from './raw-servers.ts';

/** Whoever else is asked has one answer for all. */
const stranger: Speaker = {
  document: (random) => secretText(random, '', 40),
  render: (document) => ({ status: 200, headers: [], body: String(document) }),
  refuse: () => ({ status: 403, headers: [], body: '' }),
  oddLogin: () => ({ status: 200, headers: [], body: '' }),
};

const speakers: Readonly<Record<Service, Speaker>> = { ...aws, ...azure, ...google, stranger };

/** What the service answers when nothing is wrong. */
export function rightAnswer(random: Random, request: RawRequest): Message {
  const { document, render } = speakers[request.service];
  return render(
    document(random, request, (usual) => usual),
    request,
  );
}

/** In the right form, but not what was promised. */
export function oddAnswer(random: Random, request: RawRequest): Message {
  const { document: make, render, oddLogin } = speakers[request.service];
  const document = make(random, request, (usual) => (random.chance(0.5) ? oddExpiry(random) : usual));
  return random.weigh<() => Message>([
    [4, () => render(mutateValue(random, document), request)],
    [4, () => render(document, request)],
    [1, () => changeBody(render(document, request), (body) => mutateText(random, body))],
    [5, () => oddLogin(random, request)],
  ])();
}

export function errorAnswer(random: Random, request: RawRequest): Message {
  return speakers[request.service].refuse(random, request);
}

/** Where a machine of each cloud has its metadata. */
const homes: ReadonlyMap<Service, Home> = new Map([
  ['imds', 'aws'],
  ['azure-imds', 'azure'],
  ['gce', 'gcp'],
]);

const signature: Readonly<Record<Home, Message['headers']>> = {
  aws: [['server', 'EC2ws']],
  azure: [['server', 'IMDS/150.870.65.1854']],
  gcp: [['metadata-flavor', 'Google']],
  nowhere: [],
};

/** The same address is another cloud's metadata service here, or nobody's; `undefined`: it is the one that was meant. */
export function foreignAnswer({ service }: RawRequest, home: Home): Message | 'nobody' | undefined {
  const meant = homes.get(service);
  if (meant === undefined || meant === home) return undefined;
  return home === 'nowhere'
    ? 'nobody'
    : { status: 404, headers: signature[home], body: '<html>404 - Not Found</html>' };
}

function changeBody(message: Message, change: (body: string) => string): Message {
  return { ...message, body: change(message.body) };
}
