import t from 'tap';
import type { Environment } from '../../../../lib/environment.ts';
import type { AzureConfig } from '../../../../schemas/config/azure.ts';
import { labApplication, labSecret, labTenant, objectIdOf, userIdentity } from '../../../lab/clouds/azure/state.ts';
import { labSubscription, virtualMachines } from '../../../lab/clouds/azure/virtual-machine.ts';
import type { LabVirtualMachine } from '../../../lab/clouds/azure/virtual-machine.ts';
import { createClientCertificate } from '../client-certificate.ts';
import { nodeOf, prodScope, startMachinesLab } from '../machines-lab.ts';
import { podToken } from '../pods.ts';

const certificate = await createClientCertificate();
const { azure, instances, context, setMachines } = await startMachinesLab(t);
const { lab } = azure;
const [machine] = virtualMachines({ count: 1, number: 1 }) as readonly [LabVirtualMachine];
const application = { AZURE_CLIENT_ID: labApplication, AZURE_TENANT_ID: labTenant };
const files = { '/token': podToken(azure.signer, {}), '/client.pem': certificate.pem };

interface Row {
  readonly env: Environment;
  readonly config?: Partial<AzureConfig>;
  /** Who alone may read the machines. */
  readonly reader: string;
}

const scope = { name: 'prod', subscriptionId: labSubscription };
const rows: Readonly<Record<string, Row>> = {
  'a managed identity that AZURE_CLIENT_ID names': { env: { AZURE_CLIENT_ID: userIdentity }, reader: userIdentity },
  'the managed identity of a scope': {
    env: { ...application, AZURE_CLIENT_SECRET: labSecret },
    config: { scopes: [{ ...scope, nodeIdentity: userIdentity }] },
    reader: userIdentity,
  },
  'the token of a service account': {
    env: { ...application, AZURE_FEDERATED_TOKEN_FILE: '/token' },
    reader: labApplication,
  },
  'a client secret': { env: { ...application, AZURE_CLIENT_SECRET: labSecret }, reader: labApplication },
  'a client certificate': {
    env: {
      ...application,
      AZURE_CLIENT_CERTIFICATE_PATH: '/client.pem',
      AZURE_CLIENT_CERTIFICATE_PASSWORD: certificate.password,
    },
    reader: labApplication,
  },
};

for (const [name, { env, config, reader }] of Object.entries(rows)) {
  await t.test(`machines are looked up with ${name}`, async (t) => {
    await setMachines([machine]);
    await trustCertificate();
    await lab.update({ resourceManager: { readers: [objectIdOf(reader)] } });
    const kept = instances(config, { env, files });
    const request = { nodes: [nodeOf(machine)], verify: [] };
    const results = await kept.lookUp(prodScope, request, context());
    t.match(results.get(nodeOf(machine).uid), { status: 'running', by: 'id' });
    t.equal(await kept.verifyAccess(prodScope, context()), true);
    await lab.update({ resourceManager: { readers: [] } });
    await t.rejects(kept.lookUp(prodScope, request, context()), { name: 'Failure', kind: 'denied' });
  });
}

async function trustCertificate(): Promise<void> {
  const own = (await lab.state()).principals[labApplication];
  if (own === undefined) throw new Error('the application is missing');
  await lab.update({ principals: { [labApplication]: { ...own, certificates: [certificate.certificate] } } });
}

await t.test('in another Azure cloud: its Entra, its Resource Manager and its audience', async (t) => {
  await setMachines([machine]);
  const resourceManager = 'https://management.usgovcloudapi.net';
  const { audiences } = await lab.state();
  await lab.update({ audiences: [...audiences, resourceManager] });
  const env = { ...application, AZURE_CLIENT_SECRET: labSecret };
  const node = nodeOf(machine);
  const results = await instances({ resourceManager }, { env }).lookUp(
    prodScope,
    { nodes: [node], verify: [] },
    context(),
  );
  t.match(results.get(node.uid), { status: 'running' });
  const hosts = new Set((await lab.requests()).map(({ host }) => host));
  t.same([...hosts].toSorted(), ['login.microsoftonline.us', 'management.usgovcloudapi.net']);
});

await t.test('a managed identity that is neither a client id nor a resource id', async (t) => {
  await setMachines([machine]);
  const kept = instances({ scopes: [{ ...scope, nodeIdentity: 'not an id' }] });
  const request = { nodes: [nodeOf(machine)], verify: [] };
  await t.rejects(kept.lookUp(prodScope, request, context()), { name: 'Failure', kind: 'misconfigured' });
  t.strictSame(await lab.requests(), []);
});
