import t from 'tap';
import { parseSignedToken } from '../../../lab/clouds/signed-token.ts';
import {
  labApplication,
  labSecret,
  labTenant,
  objectIdOf,
  systemIdentity,
  userIdentity,
} from '../../../lab/clouds/azure/state.ts';
import { startAzureLab } from '../azure-lab.ts';
import type { AzureNodeOptions } from '../azure-lab.ts';

const azure = await startAzureLab(t);
const { lab } = azure;
const exchange = 'api://AzureADTokenExchange';

const rows: readonly (readonly [what: string, select: string | undefined, setting: AzureNodeOptions, is: string])[] = [
  ['the managed identity of the machine', undefined, {}, systemIdentity],
  ['the one that was chosen', userIdentity, {}, userIdentity],
  [
    'an application with a secret',
    undefined,
    { env: { AZURE_CLIENT_ID: labApplication, AZURE_TENANT_ID: labTenant, AZURE_CLIENT_SECRET: labSecret } },
    labApplication,
  ],
];
for (const [what, select, setting, is] of rows) {
  await t.test(`the node proves to be ${what}`, async (t) => {
    const proof = await azure.cloud(setting).identity?.issueToken(exchange, select, azure.context());
    const claims = parseSignedToken(proof?.token.reveal() ?? '')?.claims;
    t.match(claims, { aud: exchange, sub: objectIdOf(is), iss: `https://login.microsoftonline.com/${labTenant}/v2.0` });
    t.ok(Math.abs(Number(claims?.['exp']) * 1000 - (proof?.expiresAtMs ?? 0)) < 2_000);
  });
}

await t.test('a token without an end is no proof', async (t) => {
  await lab.addFault({ service: 'imds', kind: 'no-expiry' });
  const { identity } = azure.cloud({});
  await t.rejects(async () => identity?.issueToken(exchange, undefined, azure.context()), {
    kind: 'invalid-response',
    message: /without an expiry/,
  });
});

for (const [status, waits] of [
  [410, 6],
  [404, 6],
  [429, 6],
  [500, 6],
  [400, 0],
] as const) {
  await t.test(`the metadata service answers ${status}: ${waits === 0 ? 'final' : 'asked again'}`, async (t) => {
    await lab.addFault({ service: 'imds', kind: 'status', status });
    const { identity } = azure.cloud({});
    await t.rejects(async () => identity?.issueToken(exchange, undefined, azure.context()), { name: 'Failure' });
    t.equal(azure.waitsMs.length, waits);
    t.ok(azure.waitsMs.reduce((sum, waitMs) => sum + waitMs, 0) < 50_000);
  });
}

await t.test('one that recovers within its 70 s, as far as there is time', async (t) => {
  await lab.addFault({ service: 'imds', kind: 'status', status: 410, count: 5 });
  t.ok(await azure.cloud({}).identity?.issueToken(exchange, undefined, azure.context()));
});

await t.test('no metadata service: what to do off Azure', async (t) => {
  await lab.addFault({ service: 'imds', kind: 'refuse' });
  const { identity } = azure.cloud({});
  await t.rejects(async () => identity?.issueToken(exchange, undefined, azure.context()), {
    kind: 'unavailable',
    message: /^the instance metadata service at .*: the connection was refused/,
    remedy: /off Azure give an identity by AZURE_\* variables/,
  });
});

await t.test('an address of the metadata service that is none', async (t) => {
  const { identity } = azure.cloud({ env: { AZURE_POD_IDENTITY_AUTHORITY_HOST: 'localhost:80' } });
  await t.rejects(async () => identity?.issueToken(exchange, undefined, azure.context()), {
    kind: 'misconfigured',
    message: /is not an address/,
  });
});
