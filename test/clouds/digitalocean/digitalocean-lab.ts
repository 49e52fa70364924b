import type { Test } from 'tap';
import { createDigitalocean } from '../../../clouds/digitalocean/index.ts';
import type {
  Cloud,
  Identity,
  Instance,
  Instances,
  Login,
  LookupContext,
  LookupResult,
  NodeFacts,
  Scope,
} from '../../../clouds/cloud.ts';
import type { DigitaloceanConfig } from '../../../schemas/config/digitalocean.ts';
import { systemClock } from '../../../lib/clock.ts';
import type { Environment } from '../../../lib/environment.ts';
import type { Http } from '../../../lib/http/http.ts';
import { createHttp } from '../../../lib/http/create-http.ts';
import { parseImageReference } from '../../../lib/image-reference.ts';
import { logInto } from '../../support/logs.ts';
import { digitalocean } from '../../lab/clouds/digitalocean/cloud.ts';
import { labDroplet, labToken } from '../../lab/clouds/digitalocean/state.ts';
import type { DigitaloceanState, LabDroplet } from '../../lab/clouds/digitalocean/state.ts';
import type { LabCloud } from '../../lab/clouds/lab-cloud.ts';
import { runOnLoopback } from '../../lab/clouds/loopback.ts';
import { fakeHost } from '../fake-host.ts';
import { digitaloceanConfig } from './config.ts';

export const ownScope: Scope = { cloud: 'digitalocean', key: 'digitalocean/team' };

/** The options of a test for its node. The environment has the lab's token unless it says otherwise. */
export interface DigitaloceanNodeOptions {
  readonly env?: Environment;
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: Partial<DigitaloceanConfig>;
}

export interface DigitaloceanLab {
  readonly lab: LabCloud<DigitaloceanState>;
  /** All log lines. */
  readonly logLines: string[];
  cloud(options?: DigitaloceanNodeOptions): Cloud;
  instances(options?: DigitaloceanNodeOptions): Instances;
  logIn(image: string, as: Identity, options?: DigitaloceanNodeOptions): Promise<Login>;
  describe(): Promise<Instance>;
  context(): LookupContext;
  /** The Droplets of the team, with the usual values but for these. */
  setDroplets(droplets: readonly Partial<LabDroplet>[]): Promise<void>;
  /** `GET /v2/droplets/1`, in the order of asking. */
  requestLines(): Promise<readonly string[]>;
}

/** The embedded DigitalOcean behind its production addresses, and ours in front of it. */
export async function startDigitaloceanLab(t: Test): Promise<DigitaloceanLab> {
  const lab = await runOnLoopback(digitalocean, { plain: [] });
  t.teardown(lab.stop);
  const logLines: string[] = [];
  t.beforeEach(async () => {
    await lab.reset();
    logLines.length = 0;
  });
  const context = (): LookupContext => ({
    signal: new AbortController().signal,
    deadlineAtMs: systemClock.monotonicMs() + 20_000,
    http: behindNames(lab),
    // Waits between attempts are short.
    clock: { ...systemClock, sleep: async (_durationMs, signal) => systemClock.sleep(1, signal) },
    log: logInto((line) => void logLines.push(line), 9),
    random: () => 0.5,
    beforeCall: () => Promise.resolve(),
  });
  const cloud = ({ env, files = {}, config }: DigitaloceanNodeOptions = {}): Cloud =>
    createDigitalocean({
      env: env ?? { DIGITALOCEAN_ACCESS_TOKEN: labToken },
      host: fakeHost(files),
      config: { ...digitaloceanConfig, ...config },
    });
  return {
    lab,
    logLines,
    cloud,
    context,
    instances: (options) => present(cloud(options).instances),
    logIn: async (image, as, options) => {
      const registry = present(cloud(options).registry);
      return registry.logIn(present(registry.match(present(parseImageReference(image)))), as, context());
    },
    describe: async () => present(cloud().metadata).describe(nodeOf(labDroplet), context()),
    setDroplets: async (droplets) => {
      const all = droplets.map((each, at) => ({ ...labDroplet, id: at + 1, name: `node-${at + 1}`, ...each }));
      const { droplets: before } = await lab.state();
      const none = Object.fromEntries(Object.keys(before).map((id) => [id, { ...labDroplet, team: 'none' }]));
      await lab.update({ droplets: { ...none, ...Object.fromEntries(all.map((each) => [each.id, each])) } });
    },
    requestLines: async () => (await lab.requests()).map(({ method, path }) => `${method} ${path}`),
  };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is absent');
  return value;
}

/** Replaces DNS and TLS. A request to an unknown name fails. */
function behindNames(lab: LabCloud<DigitaloceanState>): Http {
  const http = createHttp({ proxies: { no: '' }, allAuthorities: () => [] });
  return {
    send: async (request, signal) => {
      const { url } = request;
      const service = services[url.origin];
      if (service === undefined) throw new Error(`nobody was to be asked at ${url.origin}`);
      const headers = { ...request.headers, host: url.host };
      return http.send({ ...request, headers, url: new URL(`${url.pathname}${url.search}`, lab.url(service)) }, signal);
    },
  };
}

const services: Readonly<Record<string, string>> = {
  'http://169.254.169.254': 'metadata',
  'https://api.digitalocean.com': 'api',
};

export function nodeOf({ id }: Pick<LabDroplet, 'id'>): NodeFacts {
  return nodeWith(`digitalocean://${id}`);
}

/** Of a Node whose Droplet was found. */
export const vpcLabels = { 'polycloud.dev/digitalocean-vpc': '760e09ef-dc84-11e8-981e-3cfdfeaae000' };

export function nodeWith(providerId: string): NodeFacts {
  return { ...nodeNamed(`node of ${providerId}`), providerId, labels: vpcLabels };
}

export function nodeNamed(name: string): NodeFacts {
  return { uid: `uid of ${name}`, name, nodeIps: [], labels: {} };
}

export async function lookUp(
  instances: Instances,
  nodes: readonly NodeFacts[],
  context: LookupContext,
  verify: readonly NodeFacts[] = [],
): Promise<readonly (LookupResult | undefined)[]> {
  const results = await instances.lookUp(ownScope, { nodes, verify }, context);
  return nodes.map(({ uid }) => results.get(uid));
}
