import t from 'tap';
import { parseConfigFile } from '../../../lib/config/parse-config.ts';
import { azureDefaults } from '../../../schemas/config/azure.defaults.ts';

const file = '/etc/polycloud/config.yaml';

await t.test('every key of Azure is read, and the rest keeps its default', (t) => {
  const text = `
azure:
  clientIdAnnotations: [example.com/client]
  tenantIdAnnotations: [example.com/tenant]
  tenantId: contoso.onmicrosoft.com
  authorityHost: https://login.region.stack.example
  registrySuffixes: [azurecr.region.stack.example]
  registryAudience: https://management.region.stack.example
  exchangeAudience: api://Exchange
  resourceManager: https://management.region.stack.example
  scopes: [{ name: one, subscriptionId: 11111111-2222-4333-8444-555555555555, resourceGroups: [a, b] }]
`;
  t.strictSame(parseConfigFile(text, file).azure, {
    clientIdAnnotations: ['example.com/client'],
    tenantIdAnnotations: ['example.com/tenant'],
    tenantId: 'contoso.onmicrosoft.com',
    authorityHost: 'https://login.region.stack.example',
    registrySuffixes: ['azurecr.region.stack.example'],
    registryAudience: 'https://management.region.stack.example',
    exchangeAudience: 'api://Exchange',
    resourceManager: 'https://management.region.stack.example',
    scopes: [{ name: 'one', subscriptionId: '11111111-2222-4333-8444-555555555555', resourceGroups: ['a', 'b'] }],
  });
  t.strictSame(parseConfigFile('azure: { tenantId: a.example }', file).azure, {
    ...azureDefaults,
    tenantId: 'a.example',
  });
  t.end();
});

const mistakes: readonly (readonly [text: string, says: RegExp])[] = [
  ['azure: { clientId: x }', /azure\.clientId/],
  ['azure: { clientIdAnnotations: [] }', /azure\.clientIdAnnotations needs at least one key/],
  ['azure: { tenantIdAnnotations: [tenant] }', /azure\.tenantIdAnnotations\[0\] must be a key such as/],
  ['azure: { tenantId: a/b }', /azure\.tenantId must be a tenant id/],
  ['azure: { authorityHost: "http://login.example" }', /azure\.authorityHost must be https/],
  ['azure: { authorityHost: "https://login.example/common" }', /azure\.authorityHost must be https/],
  ['azure: { registrySuffixes: [Azurecr.example] }', /azure\.registrySuffixes\[0\] must be a domain/],
  ['azure: { registrySuffixes: [io] }', /azure\.registrySuffixes\[0\] must be a domain/],
  ['azure: { registryAudience: "https://a.example/ b" }', /azure\.registryAudience must be a URI/],
];
for (const [text, says] of mistakes) {
  await t.test(`an error that names the mistake: ${text}`, (t) => {
    t.throws(() => parseConfigFile(text, file), { name: 'Failure', kind: 'misconfigured', message: says });
    t.end();
  });
}
