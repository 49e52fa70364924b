import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startCounting, countCalls } from '../../../bench/ccm/call-counts.ts';
import { awsOperation } from '../../../bench/ccm/clouds/aws.ts';
import { azureOperation } from '../../../bench/ccm/clouds/azure.ts';
import { gcpOperation } from '../../../bench/ccm/clouds/gcp.ts';
import { openstackOperation } from '../../../bench/ccm/clouds/openstack.ts';
import type { ControllerFixture } from '../../../bench/ccm/fixture.ts';

const request = { host: '', method: 'POST', path: '/', headers: {}, connection: 1, receivedAtMs: 0 };

await t.test('calls are counted by operation, without the metadata service', async (t) => {
  const calls = countCalls({ operationOf: awsOperation }, [
    { ...request, service: 'ec2', body: 'Action=DescribeInstances&InstanceId.1=i-1' },
    { ...request, service: 'ec2', body: 'Version=2016-11-15&Action=DescribeInstances' },
    { ...request, service: 'ec2', body: 'Action=DescribeInstanceTopology' },
    { ...request, service: 'sts', body: 'Action=GetCallerIdentity' },
    { ...request, service: 'imds', body: '' },
  ]);
  t.strictSame(Object.fromEntries(calls), { DescribeInstances: 2, DescribeInstanceTopology: 1, GetCallerIdentity: 1 });
});

await t.test('operations of Azure, Google and OpenStack', (t) => {
  const manager = { service: 'resource-manager' };
  const compute = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute';
  const inSet = `${compute}/virtualMachineScaleSets/pool/virtualMachines`;
  const rows = [
    [azureOperation({ service: 'imds', path: '/metadata/identity/oauth2/token' }), undefined],
    [azureOperation({ service: 'entra', path: '/tenant/oauth2/v2.0/token' }), 'entra'],
    [azureOperation({ ...manager, path: `${inSet}/3?api-version=1` }), 'GET virtualmachinescalesets/virtualmachines'],
    [azureOperation({ ...manager, path: `${inSet}?api-version=1` }), 'LIST virtualmachinescalesets/virtualmachines'],
    [
      azureOperation({ ...manager, path: `${compute}/virtualMachines?statusOnly=true` }),
      'LIST virtualmachines, states',
    ],
    [azureOperation({ ...manager, path: '/subscriptions/s/resourceGroups/g?api-version=1' }), 'GET resourcegroups'],
    [gcpOperation({ service: 'metadata', path: '/computeMetadata/v1/project/project-id' }), undefined],
    [
      gcpOperation({ service: 'compute', path: '/compute/v1/projects/p/aggregated/instances?x=1' }),
      'instances.aggregatedList',
    ],
    [gcpOperation({ service: 'compute', path: '/compute/v1/projects/p/zones/z/instances/n' }), 'instances.get'],
    [
      openstackOperation({ service: 'nova', method: 'GET', path: '/v2.1/servers/detail?limit=600' }),
      'nova GET /v2.1/servers/detail',
    ],
    [
      openstackOperation({
        service: 'nova',
        method: 'GET',
        path: '/v2.1/servers/b0000000-0000-4000-8000-000000000001',
      }),
      'nova GET /v2.1/servers/ID',
    ],
  ] as const;
  for (const [operation, expected] of rows) t.equal(operation, expected);
  t.end();
});

await t.test('writes of one are counted from the beginning of the tally, by what they are to', async (t) => {
  const logDirectory = t.testdir();
  mkdirSync(logDirectory, { recursive: true });
  const file = join(logDirectory, 'audit.log');
  const line = (userAgent: string, verb: string, resource: string): string =>
    `${JSON.stringify({ verb, userAgent, objectRef: { resource } })}\n`;
  writeFileSync(file, line('ours/1', 'patch', 'nodes'));
  const cloud = { requests: async () => [] };
  const tally = await startCounting({ plane: { logDirectory }, cloud } as unknown as ControllerFixture);
  const asked = [
    ['patch', 'nodes'],
    ['update', 'nodes'],
    ['get', 'nodes'],
    ['watch', 'nodes'],
    ['create', 'events'],
    ['update', 'leases'],
    ['create', 'subjectaccessreviews'],
  ] as const;
  for (const [verb, resource] of asked) appendFileSync(file, line('ours/1', verb, resource));
  appendFileSync(file, line('other/1', 'patch', 'nodes'));
  appendFileSync(file, '{"userAgent":"ours/1","verb":"pat');
  t.strictSame(await tally.writes('ours/'), { nodes: 2, events: 1, leases: 1 });
});
