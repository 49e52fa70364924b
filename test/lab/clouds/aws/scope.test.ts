import { Sha256 } from '@aws-crypto/sha256-js';
import { SignatureV4 } from '@smithy/signature-v4';
import t from 'tap';
import type { LabResponse } from '../cloud.ts';
import { ecr } from './ecr.ts';
import { initialAwsState, labUserKey } from './state.ts';

interface Case {
  readonly host: string;
  readonly signedRegion: string;
  readonly expected: Partial<Record<keyof LabResponse, unknown>>;
}

const wrongRegion = { status: 400, body: /InvalidSignatureException.*Credential should be scoped to a valid region/ };

const cases: readonly Case[] = [
  { host: 'api.ecr.us-west-2.amazonaws.com', signedRegion: 'us-west-2', expected: { status: 200 } },
  {
    host: 'ecr.eu-west-1.api.aws',
    signedRegion: 'eu-west-1',
    expected: { status: 200, body: /dkr\.ecr\.eu-west-1\./ },
  },
  { host: 'api.ecr.us-west-2.amazonaws.com', signedRegion: 'eu-west-1', expected: wrongRegion },
  { host: '127.0.0.1:8080', signedRegion: 'eu-west-1', expected: { status: 200, body: /dkr\.ecr\.eu-west-1\./ } },
  { host: 'sts.us-west-2.amazonaws.com', signedRegion: 'us-west-2', expected: { status: 421 } },
  { host: 'api.ecr.us-west-2.amazonaws.com.example', signedRegion: 'us-west-2', expected: { status: 421 } },
];

for (const { host, signedRegion, expected } of cases) {
  await t.test(`${host}, signed for ${signedRegion}`, async (t) => {
    const moment = { nowMs: Date.now(), expiry: 'usual' as const };
    const request = { service: 'ecr', ...(await sign(host, signedRegion)) };
    t.match(await ecr.respond({ ...request, host, path: '/' }, initialAwsState(), moment), expected);
  });
}

interface SignedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

async function sign(host: string, region: string): Promise<SignedRequest> {
  const signer = new SignatureV4({ credentials: labUserKey, region, service: 'ecr', sha256: Sha256 });
  const target = 'AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken';
  const request = { method: 'POST', protocol: 'https:', hostname: host, path: '/', body: '{}' };
  const { headers } = await signer.sign({ ...request, headers: { host, 'x-amz-target': target } });
  return { method: request.method, headers, body: request.body };
}
