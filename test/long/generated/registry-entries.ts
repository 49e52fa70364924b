import { cloudNames, ownAcrSuffix, registryHost, unknownHosts } from './hosts.ts';
import type { GeneratedCloudName } from './hosts.ts';
import type { HomeCloud } from './message.ts';
import { word } from './odd-values.ts';
import type { Random } from '../../support/random.ts';
import { clientId, goodRole, serviceAccount } from './roles.ts';
import { audiences } from './tokens.ts';

/** What a configuration is written for. */
export interface CaseTarget {
  /** `host[:port]` of the image. */
  readonly registry: string;
  /** Whose login it most likely needs. */
  readonly cloud: GeneratedCloudName;
  readonly home: HomeCloud;
  readonly isAtHome: boolean;
  path(name: string): string;
}

export function registryEntries(random: Random, target: CaseTarget): readonly object[] {
  const isPlain = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?$/.test(target.registry);
  const own = isPlain && random.chance(target.isAtHome ? 0.35 : 0.9) ? [ownEntry(random, target)] : [];
  return [...own, ...Array.from({ length: random.between(0, 3) }, () => anyEntry(random, target))];
}

/** For the very registry that is asked for. */
function ownEntry(random: Random, { registry: match, cloud, home, isAtHome, path }: CaseTarget): object {
  const role = goodRole(random, cloud);
  const fromFile = { from: 'file', tokenFile: path(random.chance(0.9) ? 'proof' : 'absent') };
  const fromHome = { from: home, audience: audiences[cloud] };
  return random.pickWeighted<object>([
    [isAtHome || home === 'nowhere' ? 1 : 8, { match, role, federation: fromHome, ...selected(random, home) }],
    [3, { match, role, federation: fromFile }],
    [isAtHome ? 5 : 1, { match, role }],
    [isAtHome ? 4 : 1, { match, ...nodeIdentity(random, cloud) }],
    [1, { match, role, federation: { from: random.pick(cloudNames), audience: random.pick(oddAudiences) } }],
    [1, { match, federation: fromFile }],
    [1, { match, role: { 'example.com/unknown': 'x' } }],
  ]);
}

const oddAudiences = ['', 'a'.repeat(5_000), 'https://evil.example', 'a&b=c', 'a\r\nb', '💥'];

/** The node, as one of its own identities, proves itself elsewhere. */
function selected(random: Random, home: HomeCloud): object {
  return home !== 'nowhere' && random.chance(0.15) ? nodeIdentity(random, home) : {};
}

function nodeIdentity(random: Random, cloud: GeneratedCloudName): { readonly nodeIdentity: string } {
  return { nodeIdentity: random.pick(identities[cloud]) };
}

const identities: Readonly<Record<GeneratedCloudName, readonly string[]>> = {
  aws: ['default', 'chain', 'keys', 'nobody'],
  azure: [clientId, clientId, '/subscriptions/0/resourceGroups/lab', '../evil', 'x'.repeat(3_000)],
  gcp: [serviceAccount, serviceAccount, 'default', '../default', 'evil@evil.example', 'default/token?x='],
};

function anyEntry(random: Random, { path }: CaseTarget): object {
  const folder = random.chance(0.5) ? '' : `/${word(random)}`;
  const match =
    (random.chance(0.7) ? random.pick(unknownHosts) : registryHost(random, random.pick(cloudNames))) + folder;
  const login = { usernameFile: path('user'), passwordFile: path(random.chance(0.9) ? 'password' : 'absent') };
  const as = random.pickWeighted([
    [6, registryHost(random, random.pick(cloudNames))],
    [1, 'public.ecr.aws'],
    [1, `acme.${ownAcrSuffix}`],
    [1, random.pick(unknownHosts)],
    [1, 'a..b'],
  ]);
  return random.pickWeighted([
    [3, { match, login }],
    [3, { match, as }],
    [1, { match, as, ...nodeIdentity(random, random.pick(cloudNames)) }],
    [1, { match, nodeIdentity: random.pick(['default', 'process', '__proto__']) }],
  ]);
}
