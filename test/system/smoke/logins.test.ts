import t from 'tap';
import { createCloudNetwork } from '../../lab/cloud-network.ts';
import { awsSite } from '../../lab/clouds/aws/site.ts';
import { azureSite } from '../../lab/clouds/azure/site.ts';
import type { EmbeddedName } from '../../lab/clouds/embedded.ts';
import { gcpSite } from '../../lab/clouds/gcp/site.ts';
import type { Site } from '../../lab/clouds/site.ts';
import { requires } from '../../lab/requires.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { ask } from '../programs/provider.ts';

interface Machine {
  readonly cloud: EmbeddedName;
  readonly site: Site<EmbeddedName>;
  readonly host: string;
  readonly username: string;
}

const machines: readonly Machine[] = [
  {
    cloud: 'aws',
    site: awsSite(['us-west-2']),
    host: '123456789012.dkr.ecr.us-west-2.amazonaws.com',
    username: 'AWS',
  },
  {
    cloud: 'azure',
    site: azureSite(['acme.azurecr.io'], []),
    host: 'acme.azurecr.io',
    username: '00000000-0000-0000-0000-000000000000',
  },
  { cloud: 'gcp', site: gcpSite('googleapis.com'), host: 'us-west1-docker.pkg.dev', username: 'oauth2accesstoken' },
];
const support = requires(await namespaceSupport());

for (const { cloud, site, host, username } of machines) {
  await t.test(`a node of ${cloud} logs in to ${host}, with no setting at all`, support, async (t) => {
    const { namespace, stop } = await createCloudNetwork({ sites: [site], machineOf: cloud, ipVersions: [4] });
    t.teardown(stop);
    const { answer, stderr } = await ask(namespace, { image: `${host}/team/app:1` });
    t.strictSame(Object.keys(answer?.auth ?? {}), [host], stderr);
    t.equal(answer?.auth[host]?.username, username);
    t.ok(answer?.auth[host]?.password);
    t.strictSame(
      (await ask(namespace, { image: 'registry.example/app' })).answer?.auth,
      {},
      'and to no other registry',
    );
  });
}
