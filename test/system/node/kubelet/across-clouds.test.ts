import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../../../build/project.ts';
import { awsSite } from '../../../lab/clouds/aws/site.ts';
import { azureSite } from '../../../lab/clouds/azure/site.ts';
import { gcpSite } from '../../../lab/clouds/gcp/site.ts';
import { requires } from '../../../lab/requires.ts';
import { providerIdOf } from '../../../lab/node/aws-node.ts';
import { nodeFor } from '../../../lab/node/for-test.ts';
import { acrSite, ecrSite, googleRegistrySite } from '../../../lab/node/registry/registry-site.ts';
import { nodeSupport } from '../../../lab/node/support.ts';
import { establishTrust } from '../../programs/across-clouds/trust.ts';
import { printedEntries } from './printed-entries.ts';
import { checkFailureLine, checkNoSecrets, pull } from './pulling.ts';

const example = join(projectDirectory, 'docs/examples/aws-node-to-azure-and-google.yaml');
const acr = 'partner.azurecr.io';
const artifacts = 'europe-west1-docker.pkg.dev';
const ecr = '123456789012.dkr.ecr.us-west-2.amazonaws.com';
const hosts = [acr, artifacts, ecr];
const minuteMs = 60_000;

await t.test('a kubelet on AWS pulls from ACR and Artifact Registry', requires(await nodeSupport()), async (t) => {
  const { plugin } = await printedEntries({
    args: ['--cloud', 'aws,azure,gcp', '--config', example],
    hosts: { 'polycloud-credential-provider': hosts },
  });
  const node = await nodeFor<'aws', 'azure' | 'gcp'>(t, 'aws', {
    sites: [awsSite(['us-west-2']), azureSite([acr], []), gcpSite('googleapis.com')],
    registries: [
      ecrSite({ accounts: ['123456789012'], regions: ['us-west-2'] }),
      acrSite([acr]),
      googleRegistrySite([artifacts]),
    ],
    plugin,
  });
  const { aws, azure, gcp } = node.clouds;
  const { instance } = await aws.state();
  await node.initialise(providerIdOf(instance));
  await establishTrust(node.clouds, []);

  await t.test('not while AWS signs no tokens', async (t) => {
    const { outbound } = await aws.state();
    await aws.update({ outbound: null });
    const image = `${acr}/team/no-proof:1`;
    const says = /[Oo]utbound (web )?identity federation.*; hint: /;
    await checkFailureLine(t, node, { outcome: await pull(node, image), image, says });
    await aws.update({ outbound });
  });

  await t.test('not with a role that may not ask for a proof', async (t) => {
    await aws.update({ instance: { roleName: 'lab-denied' } });
    const image = `${artifacts}/project/app/no-role:1`;
    const says = /denied sts:GetWebIdentityToken to .*lab-denied.*; hint: /;
    await checkFailureLine(t, node, { outcome: await pull(node, image), image, says });
    await aws.update({ instance: { roleName: instance.roleName } });
  });

  await t.test('not where the application trusts another role', async (t) => {
    const { principals } = await azure.state();
    const distrustful = Object.entries(principals).map(([id, each]) => [id, { ...each, federations: [] }]);
    await azure.update({ principals: Object.fromEntries(distrustful) as typeof principals });
    const image = `${acr}/team/no-trust:1`;
    const says = /no federated credential matches: .*\(AADSTS7002\d+\); hint: /;
    await checkFailureLine(t, node, { outcome: await pull(node, image), image, says });
    await azure.update({ principals });
  });

  await t.test('by its own role, as docs/examples has it', async (t) => {
    await aws.addFault({ service: 'sts', kind: 'throttle', count: 1 });
    t.match(await pull(node, `${acr}/team/app:1`), { pulled: true });
    t.match((await azure.state()).registryLogins, [{ registry: acr, objectId: 'partner' }]);
    t.match(await pull(node, `${artifacts}/project/app/service:1`), { pulled: true });
    const holders = Object.values((await gcp.state()).accessTokens).map(({ member }) => member);
    t.match(holders.at(-1), /^serviceAccount:puller@/);
  });

  await t.test('and from ECR although this machine’s clock is behind', async (t) => {
    await aws.addFault({ service: 'ecr', kind: 'clock', aheadMs: 20 * minuteMs });
    t.match(await pull(node, `${ecr}/team/behind:1`), { pulled: true });
    const statuses = (await aws.requests()).filter(({ service }) => service === 'ecr').map(({ status }) => status);
    t.same(statuses, [400, 200], 'refused by its date, and asked again by that of AWS');
  });

  await t.test('and leaves no secret in any log', (t) => checkNoSecrets(t, node));
});
