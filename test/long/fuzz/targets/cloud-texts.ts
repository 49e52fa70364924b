import { isIP } from 'node:net';
import { awsFailure } from '../../../../clouds/aws/errors.ts';
import { parseMetadata as parseAwsSelf } from '../../../../clouds/aws/metadata/parse.ts';
import { parseQueryError } from '../../../../clouds/aws/instances/query-request.ts';
import { entraFailure, metadataFailure, registryFailure } from '../../../../clouds/azure/errors.ts';
import { googleFailure } from '../../../../clouds/gcp/errors.ts';
import { parseMetadata as parseGoogleSelf } from '../../../../clouds/gcp/metadata/parse.ts';
import type { HttpResponse } from '../../../../lib/http/http.ts';
import type { Random } from '../../../support/random.ts';
import { errorResponse } from '../../generated/bodies.ts';
import { mutateText } from '../../generated/mutate.ts';
import { oddText, secretText } from '../../generated/odd-values.ts';
import type { Service } from '../../generated/raw-servers.ts';
import { attempt, checkError } from '../target.ts';
import type { FuzzCase } from '../target.ts';

type Refusal = (response: HttpResponse) => Error;

const wallMs = Date.parse('2026-01-01T00:00:00Z');
const call = {
  target: 'cloud.example',
  action: 'cloud:Login',
  as: 'the role of the instance',
  remedyWhenDenied: 'allow it',
};
const refusals: Readonly<Record<string, readonly [Refusal, readonly Service[]]>> = {
  'query API of AWS': [(response) => awsFailure(parseQueryError(response), call, wallMs), ['sts']],
  Entra: [(response) => entraFailure(response, call, wallMs), ['entra', 'acr']],
  'managed identity': [(response) => metadataFailure(response, call, wallMs), ['azure-imds', 'entra']],
  'registry of Azure': [(response) => registryFailure(response, call, wallMs), ['acr', 'entra']],
  Google: [(response) => googleFailure(response, call, wallMs), ['gce', 'google-sts', 'iam', 'oauth2']],
};

/** Refusals, which may say back all that they were sent. */
export const refusalCase =
  (change: (refusal: Refusal, response: HttpResponse) => Error): FuzzCase =>
  async (random) => {
    const [refusal, services] = random.pick(Object.values(refusals));
    const response = refuse(random, random.pick(services));
    const result = await attempt(() => change(refusal, response));
    const found = 'error' in result ? ['it throws', ...checkError(result.error)] : checkError(result.value);
    return { end: 'refusal', problems: found };
  };

function refuse(random: Random, service: Service): HttpResponse {
  const secret = secretText(random, 'eyJ', 60);
  const sent = {
    service,
    count: 1,
    method: 'POST',
    path: `/?token=${secret}`,
    host: 'cloud.example',
    headers: `authorization: ${secret}`,
    body: `Action=AssumeRoleWithWebIdentity&assertion=${secret}`,
  };
  const { status, headers, body } = errorResponse(random, sent);
  const spoilt = random.chance(0.3) ? mutateText(random, body) : body;
  const retryAfter = random.pick([
    undefined,
    '5',
    '-1',
    'soon',
    'Thu, 01 Jan 2026 00:00:10 GMT',
    '9'.repeat(400),
    oddText(random),
  ]);
  return {
    status,
    headers: { ...Object.fromEntries(headers), ...(retryAfter !== undefined && { 'retry-after': retryAfter }) },
    body: Buffer.from(spoilt),
  };
}

export function textOf({ body }: HttpResponse): string {
  return Buffer.from(body).toString('utf8');
}

const awsMetadata = {
  instanceId: 'i-0123456789abcdef0',
  type: 'm7g.large',
  zone: 'us-west-2b',
  zoneId: 'usw2-az2',
  localHostname: 'ip-10-0-0-20.us-west-2.compute.internal',
  publicHostname: 'ec2-192-0-2-20.us-west-2.compute.amazonaws.com',
  publicIp: '192.0.2.20',
};
const awsInterface = { device: '0', card: '0', ipv4: '10.0.0.20\n10.0.0.21', ipv6: '2001:db8::20' };
const googleMetadata = {
  project: 'lab-project',
  name: 'node-1',
  zone: 'projects/123456789012/zones/us-west1-a',
  id: '4520031799277581759',
  machineType: 'projects/123456789012/machineTypes/e2-medium',
  interfaces: JSON.stringify([
    { ip: '10.0.0.20', ipv6s: ['2001:db8::20'], accessConfigs: [{ externalIp: '192.0.2.20' }] },
  ]),
};

interface InstanceMetadata {
  readonly addresses: readonly string[];
  readonly labels: readonly (string | undefined)[];
  /** All else that could reach a Node. */
  readonly texts: readonly (string | undefined)[];
}

type ReadMetadata = (texts: Readonly<Record<string, string | undefined>>) => InstanceMetadata;

const readers: ReadonlyArray<readonly [ReadMetadata, Readonly<Record<string, string>>]> = [
  [readAwsMetadata, { ...awsMetadata, ...awsInterface }],
  [readGoogleMetadata, googleMetadata],
];

function readAwsMetadata(texts: Readonly<Record<string, string | undefined>>): InstanceMetadata {
  const { instanceId, type, zone, zoneId, localHostname, publicHostname, publicIp, device, card, ipv4, ipv6 } = texts;
  const interfaces = [{ device, card, ipv4, ipv6 }];
  const self = parseAwsSelf({ instanceId, type, zone, zoneId, localHostname, publicHostname, publicIp, interfaces });
  const addresses = [
    ...self.interfaces.flatMap((each) => [...each.ipv4, ...each.ipv6]),
    ...(self.publicIp === undefined ? [] : [self.publicIp]),
  ];
  return {
    addresses,
    labels: [self.type, self.zone, self.zoneId],
    texts: [self.instanceId, self.privateDnsName, self.publicDnsName],
  };
}

function readGoogleMetadata({
  project,
  name,
  id,
  zone,
  machineType,
  interfaces,
}: Readonly<Record<string, string | undefined>>): InstanceMetadata {
  const self = parseGoogleSelf({ project, name, id, zone, machineType, interfaces }, { nodeIps: [] });
  return {
    addresses: self.addresses.map(({ address }) => address),
    labels: [self.type, self.zone, self.region],
    texts: [self.providerId],
  };
}

/** Instance metadata: only valid addresses and plain words reach the Node. */
export const metadataCase =
  (change: (self: InstanceMetadata) => InstanceMetadata): FuzzCase =>
  async (random) => {
    const [read, right] = random.pick(readers);
    const spoilt = random.pick(Object.keys(right));
    const value = random.pick([
      undefined,
      oddText(random),
      mutateText(random, right[spoilt] ?? ''),
      secretText(random, '', 30),
    ]);
    const result = await attempt(() => change(read({ ...right, ...(random.chance(0.9) && { [spoilt]: value }) })));
    if ('error' in result) {
      return { end: 'no description', problems: checkError(result.error) };
    }
    const { addresses, labels, texts } = result.value;
    const oddLabel = labels.find((text) => text !== undefined && !/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/.test(text));
    const oddAddress = addresses.find((address) => isIP(address) === 0);
    const oddWord = texts.find((text) => text !== undefined && !/^[\w.:/-]{1,253}$/.test(text));
    return {
      end: 'description',
      problems: [
        ...(oddAddress === undefined ? [] : [`address ${JSON.stringify(oddAddress)}`]),
        ...(oddLabel === undefined ? [] : [`label ${JSON.stringify(oddLabel)}`]),
        ...(oddWord === undefined ? [] : [`text ${JSON.stringify(oddWord)}`]),
      ],
    };
  };
