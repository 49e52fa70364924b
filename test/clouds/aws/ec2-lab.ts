import type { Test } from 'tap';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import { createInstances } from '../../../clouds/aws/instances/index.ts';
import { createRoutes } from '../../../clouds/aws/routes/index.ts';
import type { LookupContext, LookupResult, Instances, NodeFacts, Routes, Scope } from '../../../clouds/cloud.ts';
import type { Environment } from '../../../lib/environment.ts';
import { systemClock } from '../../../lib/clock.ts';
import { createHttp } from '../../../lib/http/create-http.ts';
import { logInto } from '../../support/logs.ts';
import { aws } from '../../lab/clouds/aws/cloud.ts';
import type { Ec2Instance } from '../../lab/clouds/aws/ec2-instance.ts';
import { labUserKey } from '../../lab/clouds/aws/state.ts';
import type { AwsState } from '../../lab/clouds/aws/state.ts';
import type { LabCloud } from '../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../lab/clouds/loopback.ts';
import { fakeHost } from '../fake-host.ts';
import { awsConfig } from './config.ts';

export const account = '123456789012';
export const otherAccount = '999988887777';
export const westScope: Scope = { cloud: 'aws', key: 'aws/us-west-2' };

export interface Ec2Lab {
  readonly lab: LabCloud<AwsState>;
  readonly env: Environment;
  /** All log lines. */
  readonly logLines: string[];
  instances(config: Partial<AwsConfig>): Instances;
  /** Throws if the configuration names no table. */
  routes(config: Partial<AwsConfig>): Routes;
  context(): LookupContext;
  lookUp(
    instances: Instances,
    scope: Scope,
    nodes: readonly NodeFacts[],
  ): Promise<readonly (LookupResult | undefined)[]>;
  /** Requests of EC2 since the last reset. */
  requestCount(): Promise<number>;
}

/** EC2 as the lab has it, and our `Instances` in front of it with the keys of the lab's user. */
export async function startEc2Lab(t: Test): Promise<Ec2Lab> {
  const lab = await runOnLoopback(aws, { plain: ['imds'] });
  t.teardown(lab.stop);
  const env = {
    AWS_REGION: 'us-west-2',
    AWS_ENDPOINT_URL_EC2: lab.url('ec2'),
    AWS_ENDPOINT_URL_STS: lab.url('sts'),
    AWS_EC2_METADATA_SERVICE_ENDPOINT: lab.url('imds'),
    AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
    AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
  };
  const logLines: string[] = [];
  const context = (): LookupContext => ({
    signal: new AbortController().signal,
    deadlineAtMs: systemClock.monotonicMs() + 20_000,
    http: createHttp({ proxies: { no: '' }, allAuthorities: () => [] }),
    clock: systemClock,
    log: logInto((line) => void logLines.push(line), 9),
    random: Math.random,
    beforeCall: () => Promise.resolve(),
  });
  return {
    lab,
    env,
    logLines,
    context,
    instances: (config) => createInstances({ env, host: fakeHost({}), config: { ...awsConfig, ...config } }),
    routes: (config) => {
      const routes = createRoutes({ env, host: fakeHost({}), config: { ...awsConfig, ...config } });
      if (routes === undefined) throw new Error('no route table is configured');
      return routes;
    },
    lookUp: async (instances, scope, nodes) => {
      const results = await instances.lookUp(scope, { nodes, verify: [] }, context());
      if (results.size !== nodes.length) throw new Error(`${results.size} findings for ${nodes.length} nodes`);
      return nodes.map(({ uid }) => results.get(uid));
    },
    requestCount: async () => (await lab.requests()).filter(({ service }) => service === 'ec2').length,
  };
}

export function nodeOf(instance: Pick<Ec2Instance, 'instanceId' | 'zone'>): NodeFacts {
  return nodeWith(`aws:///${instance.zone}/${instance.instanceId}`);
}

export function nodeWith(providerId: string): NodeFacts {
  return { ...nodeNamed(`node of ${providerId}`), providerId };
}

export function nodeNamed(name: string): NodeFacts {
  return { uid: `uid of ${name}`, name, nodeIps: [], labels: {} };
}
