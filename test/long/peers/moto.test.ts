import t from 'tap';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import { createInstances } from '../../../clouds/aws/instances/index.ts';
import type { LookupResult, NodeFacts } from '../../../clouds/cloud.ts';
import { systemClock } from '../../../lib/clock.ts';
import { createHttp } from '../../../lib/http/create-http.ts';
import { unusedContext } from '../../clouds/contexts.ts';
import { fakeHost } from '../../clouds/fake-host.ts';
import { aws } from '../../lab/clouds/aws/cloud.ts';
import { fleetOf } from '../../lab/clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from '../../lab/clouds/aws/ec2-instance.ts';
import { labIssuer, labUserKey } from '../../lab/clouds/aws/state.ts';
import { runOnLoopback } from '../../lab/clouds/loopback.ts';
import { createTokenSigner } from '../../lab/clouds/token-signer.ts';
import { requires } from '../../lab/requires.ts';
import { sendAll, callEc2 } from '../../lab/moto/responses.ts';
import type { Difference } from '../../lab/moto/differences.ts';
import { findDifferences } from '../../lab/moto/differences.ts';
import { installMoto } from '../../lab/moto/install.ts';
import { knownDifferences } from '../../lab/moto/known-differences.ts';
import { startMoto } from '../../lab/moto/server.ts';

const installation = await installMoto();

const oneInstance = {
  count: 1,
  region: 'us-west-2',
  zoneLetters: ['a'],
  accountId: '123456789012',
  launchedAtMs: Date.now(),
  number: 0,
};
const publicNames = { publicIp: '54.1.2.3', publicDnsName: 'ec2-54-1-2-3.us-west-2.compute.amazonaws.com' };

await t.test('the answers differ from moto’s in the known ways and in no other', requires(installation), async (t) => {
  const moto = await startMoto(installation.python);
  t.teardown(moto.stop);
  const lab = await runOnLoopback(aws, { plain: ['imds'] });
  t.teardown(lab.stop);
  const signer = createTokenSigner('RS256');
  await lab.update({ issuers: { [labIssuer]: { audiences: ['sts.amazonaws.com'], keys: [signer.publicKey] } } });
  const webIdentityToken = signer.sign({
    iss: labIssuer,
    aud: 'sts.amazonaws.com',
    sub: 'system:serviceaccount:default:puller',
    exp: Math.floor(Date.now() / 1000) + 600,
  });

  const [ourInstance] = Object.values(fleetOf(oneInstance)) as [Ec2Instance];
  await lab.update({ ec2Instances: { [ourInstance.instanceId]: { ...ourInstance, ...publicNames } } });
  const motosInstance = await runInstance(moto.url);

  const ours = await sendAll({
    ecrUrl: lab.url('ecr'),
    stsUrl: lab.url('sts'),
    ec2Url: lab.url('ec2'),
    instanceId: ourInstance.instanceId,
    webIdentityToken,
  });
  const motos = await sendAll({
    ecrUrl: moto.url,
    stsUrl: moto.url,
    ec2Url: moto.url,
    instanceId: motosInstance,
    webIdentityToken,
  });

  const [node, found] = await lookUpInMoto(moto.url, motosInstance);
  t.match(found.get(node.uid), {
    status: 'running',
    instance: {
      providerId: `aws:///us-west-2a/${motosInstance}`,
      type: 'm5.large',
      addresses: [{ type: 'InternalIP' }, { type: 'ExternalIP' }, { type: 'InternalDNS' }, { type: 'Hostname' }, {}],
    },
  });

  const known = knownDifferences.map(({ reason: _reason, ...difference }) => difference);
  t.same(sorted(findDifferences(ours, motos)), sorted(known));
});

async function runInstance(motoUrl: string): Promise<string> {
  const wish = { ImageId: 'ami-12c6146b', MinCount: '1', MaxCount: '1', InstanceType: 'm5.large' };
  const { body } = await callEc2(motoUrl, { Action: 'RunInstances', ...wish });
  const instanceId = /<instanceId>([^<]+)</.exec(body)?.[1];
  if (instanceId === undefined) throw new Error(`moto ran no instance: ${body}`);
  return instanceId;
}

/** What the product makes of moto's answer. */
async function lookUpInMoto(url: string, instanceId: string): Promise<[NodeFacts, ReadonlyMap<string, LookupResult>]> {
  const env = {
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
    AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
  };
  const http = createHttp({ proxies: { no: '' }, allAuthorities: () => [] });
  const context = { ...unusedContext, http, clock: systemClock, deadlineAtMs: systemClock.monotonicMs() + 20_000 };
  const config: AwsConfig = {
    roleAnnotations: [],
    scopes: [],
    routeTables: [],
    nodeIpFamilies: ['ipv4'],
  };
  const node = { uid: 'uid', name: 'node', providerId: `aws:///us-west-2a/${instanceId}`, nodeIps: [], labels: {} };
  const instances = createInstances({ env, host: fakeHost({}), config });
  return [node, await instances.lookUp({ cloud: 'aws', key: 'aws/us-west-2' }, { nodes: [node], verify: [] }, context)];
}

function sorted(differences: readonly Difference[]): readonly Difference[] {
  return differences.toSorted((a, b) => `${a.operation} ${a.path}`.localeCompare(`${b.operation} ${b.path}`));
}
