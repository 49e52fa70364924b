import t from 'tap';
import { parsePublicAddresses } from '../../../../clouds/azure/metadata/documents.ts';
import { parseInstanceDocument, withPublicAddresses } from '../../../../clouds/azure/metadata/parse.ts';
import { toInstance } from '../../../../clouds/azure/instance.ts';
import { bodyText } from '../../../../lib/http/ask.ts';
import { answer, recorded } from '../recorded.ts';

const text = bodyText(recorded('imds-instance'));

await t.test('the documented document', (t) => {
  t.strictSame(toInstance(parseInstanceDocument(text), { nodeIps: [] }), {
    providerId:
      'azure:///subscriptions/xxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxx/resourceGroups/macikgo-test-may-23/providers/Microsoft.Compute/virtualMachines/examplevmname',
    instanceId: '02aab8a4-74ef-476e-8182-f6d2ba4166a6',
    type: 'Standard_A3',
    region: 'westus',
    zone: '36',
    addresses: [
      { type: 'InternalIP', address: '10.144.133.132' },
      { type: 'InternalIP', address: 'b4bc:8fce:f33b:4990:cced:d94e:ab4f:6ea0' },
    ],
    labels: {},
  });
  t.end();
});

await t.test("the documented responses of the load balancer's part", (t) => {
  t.strictSame(parsePublicAddresses(recorded('imds-loadbalancer')), {
    status: 'read',
    addresses: [{ frontendIpAddress: '51.0.0.1', privateIpAddress: '10.1.0.4' }],
  });
  t.strictSame(parsePublicAddresses(recorded('imds-loadbalancer-none')), { status: 'read', addresses: [] });
  t.strictSame(parsePublicAddresses(recorded('imds-loadbalancer-not-yet')), { status: 'unread' });
  t.strictSame(parsePublicAddresses(answer(404, '', {})), { status: 'unread' });
  t.strictSame(parsePublicAddresses(answer(200, { error: 'later' }, {})), { status: 'unread' });
  t.end();
});

await t.test('a frontend that is the address itself, or of the other family, is not public', (t) => {
  const machine = parseInstanceDocument(text);
  for (const frontendIpAddress of ['10.144.133.132', '[2603::1]', 'me', '']) {
    const found = [{ frontendIpAddress, privateIpAddress: '10.144.133.132' }];
    t.strictSame(withPublicAddresses(machine, found), machine);
  }
  t.end();
});

const invalid: readonly (readonly [replaced: RegExp, by: string])[] = [
  [/"resourceId":"[^"]*"/, '"resourceId":""'],
  [/virtualMachines\/examplevmname/, 'virtualMachines/..%2fother'],
  [/Microsoft.Compute/, 'Microsoft.Network'],
  [/"vmId":"[^"]*"/, '"vmId":"1"'],
  [/Standard_A3/, 'a b'],
  [/westus/, ''],
  [/westus/, 'west us'],
  [/"zone":""/, '"zone":"a"'],
  [/"platformFaultDomain":"36"/, '"platformFaultDomain":"-1"'],
  [/10\.144\.133\.132/, '10.144.133'],
  [/10\.144\.133\.132/, 'fd00::1'],
  [/"interface":.*/, '"interface":[]}}'],
  [/^.*$/s, '<html>'],
  [/^.*$/s, '{"error":"later"}'],
];
for (const [replaced, by] of invalid) {
  await t.test(`${String(replaced)} → ${by}: nothing of it reaches a Node`, (t) => {
    const changed = text.replace(replaced, by);
    t.not(changed, text);
    t.throws(() => parseInstanceDocument(changed), {
      kind: 'invalid-response',
      message: /^the instance metadata service (?:does not return|returned an invalid value for) the /,
    });
    t.end();
  });
}
