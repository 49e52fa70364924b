import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { Secret } from '../secret.ts';
import type { RegistryEntry } from '../../schemas/config.ts';
import type { Catalogue, Found, RegistryWorld } from './find-registry.ts';
import type { Identity, Login } from './registry.ts';

/** The cloud's own log-in; before it the node proves to that cloud who it is, where the configuration sends it across clouds. */
export async function logIn(found: Found, as: Identity, catalogue: Catalogue, context: Context): Promise<Login> {
  const { federation } = found.node;
  const identity =
    as.kind === 'token' || federation === undefined ? as : await federate(as, federation, { catalogue, context });
  return found.service.logIn(found.registry, identity, context);
}

type Federation = NonNullable<RegistryEntry['federation']>;
type NodeIdentity = Extract<Identity, { readonly kind: 'node' }>;

interface Surroundings {
  readonly catalogue: Catalogue;
  readonly context: Context;
}

/** A token is a token: what the registry's cloud does with it is the same as for a pod's. */
async function federate(
  { select, role = {} }: NodeIdentity,
  federation: Federation,
  { catalogue, context }: Surroundings,
): Promise<Identity> {
  if (federation.from === 'file') {
    return { kind: 'token', token: await tokenIn(federation.tokenFile, catalogue.world), role };
  }
  const { from, audience } = federation;
  const { clouds, world, config } = catalogue;
  const cloud = await clouds.find(({ name }) => name === from)?.load(world, config);
  if (cloud?.identity === undefined) throw cannotProve(from);
  context.log.verbose(`proof of the node's identity from ${from} for ${audience}`);
  const { token } = await cloud.identity.prove(audience, select, context);
  return { kind: 'token', token, role };
}

async function tokenIn(file: string, { host }: RegistryWorld): Promise<Secret> {
  const token = (await host.readText(file))?.trim();
  if (token) return new Secret(token);
  throw new Failure('misconfigured', `there is no token in ${file}`, {
    remedy: 'let `federation.tokenFile` name a file that is kept fresh, such as a projected service account token',
  });
}

function cannotProve(name: string): Failure {
  return new Failure('misconfigured', `${name} does not prove to others who a node is`, {
    remedy: 'let `federation.from` be aws, azure, gcp or file',
  });
}
