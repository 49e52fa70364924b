import type { Config, RegistryEntry } from '../../schemas/config.ts';
import { federationClouds } from '../../schemas/generated/clouds.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { readTokenFile } from '../token-file.ts';
import type { Identity, Login } from '../../clouds/cloud.ts';
import type { AvailableClouds, ResolvedRegistry } from './resolve-registry.ts';

/** Where a login comes from: the cloud itself, or a cache in front of it. */
export interface Logins {
  get(registry: ResolvedRegistry, identity: Identity, config: Config): Promise<Login>;
}

export interface ConfiguredClouds extends AvailableClouds {
  readonly config: Config;
}

/**
 * Logs in at the registry's cloud. With `federation` in the configuration, the node's own cloud signs a token first, and
 * the registry's cloud treats it like the token of a pod.
 */
export async function logIn(
  resolved: ResolvedRegistry,
  requested: Identity,
  configured: ConfiguredClouds,
  context: Context,
): Promise<Login> {
  const { federation } = resolved.node;
  const identity =
    requested.kind === 'token' || federation === undefined
      ? requested
      : await federate(requested, federation, { configured, context });
  return resolved.service.logIn(resolved.registry, identity, context);
}

type Federation = NonNullable<RegistryEntry['federation']>;
type NodeLoginIdentity = Extract<Identity, { readonly kind: 'node' }>;

interface FederationDeps {
  readonly configured: ConfiguredClouds;
  readonly context: Context;
}

async function federate(
  { select, role = {} }: NodeLoginIdentity,
  federation: Federation,
  { configured: { clouds, runtime, config }, context }: FederationDeps,
): Promise<Identity> {
  if (federation.from === 'file') {
    return { kind: 'token', token: await readTokenFile(federation.tokenFile, runtime.host, tokenFileRemedy), role };
  }
  const { from, audience } = federation;
  const cloud = await clouds.find(({ name }) => name === from)?.load(runtime, config);
  if (cloud?.identity === undefined) throw noIdentityTokens(from);
  context.log.debug(`identity token of the node from ${from} for ${audience}`);
  const { token } = await cloud.identity.issueToken(audience, select, context);
  return { kind: 'token', token, role };
}

const tokenFileRemedy =
  'set `federation.tokenFile` to a file that is kept fresh, such as a projected service account token';

function noIdentityTokens(name: string): Failure {
  return new Failure('misconfigured', `${name} does not issue identity tokens for nodes`, {
    remedy: `set \`federation.from\` to ${federationClouds.join(', ')} or file`,
  });
}
