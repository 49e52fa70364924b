import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { Secret } from '../secret.ts';
import type { RegistryEntry } from '../../schemas/config.ts';
import type { ConfiguredClouds, ResolvedRegistry, RegistryRuntime } from './resolve-registry.ts';
import type { Identity, Login } from './registry.ts';

/** The cloud's own log-in; before it the node proves to that cloud who it is, where the configuration sends it across clouds. */
export async function logIn(
  resolved: ResolvedRegistry,
  requested: Identity,
  configuredClouds: ConfiguredClouds,
  context: Context,
): Promise<Login> {
  const { federation } = resolved.node;
  const identity =
    requested.kind === 'token' || federation === undefined
      ? requested
      : await federate(requested, federation, { configuredClouds, context });
  return resolved.service.logIn(resolved.registry, identity, context);
}

type Federation = NonNullable<RegistryEntry['federation']>;
type NodeLoginIdentity = Extract<Identity, { readonly kind: 'node' }>;

interface FederationDeps {
  readonly configuredClouds: ConfiguredClouds;
  readonly context: Context;
}

/** A token is a token: what the registry's cloud does with it is the same as for a pod's. */
async function federate(
  { select, role = {} }: NodeLoginIdentity,
  federation: Federation,
  { configuredClouds, context }: FederationDeps,
): Promise<Identity> {
  if (federation.from === 'file') {
    return { kind: 'token', token: await readToken(federation.tokenFile, configuredClouds.runtime), role };
  }
  const { from, audience } = federation;
  const { clouds, runtime, config } = configuredClouds;
  const cloud = await clouds.find(({ name }) => name === from)?.load(runtime, config);
  if (cloud?.identity === undefined) throw noIdentityTokens(from);
  context.log.debug(`proof of the node's identity from ${from} for ${audience}`);
  const { token } = await cloud.identity.issueToken(audience, select, context);
  return { kind: 'token', token, role };
}

async function readToken(file: string, { host }: RegistryRuntime): Promise<Secret> {
  const token = (await host.readText(file))?.trim();
  if (token) return new Secret(token);
  throw new Failure('misconfigured', `there is no token in ${file}`, {
    remedy: 'let `federation.tokenFile` name a file that is kept fresh, such as a projected service account token',
  });
}

function noIdentityTokens(name: string): Failure {
  return new Failure('misconfigured', `${name} does not prove to others who a node is`, {
    remedy: 'let `federation.from` be aws, azure, gcp or file',
  });
}
