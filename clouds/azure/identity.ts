import { Failure } from '../../lib/failure.ts';
import { Secret } from '../../lib/secret.ts';
import type { CloudSettings, Context, Identity } from '../cloud.ts';
import { annotatedApplication } from './application.ts';
import type { Application } from './application.ts';
import { authorityOf } from './authority.ts';
import type { AzureConfig } from './config.ts';
import type { EntraToken } from './entra-token.ts';
import { environmentIdentity } from './environment-identity.ts';
import { chooseManagedIdentity, managedIdentityToken } from './managed-identity.ts';
import type { Partition } from './partitions.ts';
import { tokenByAssertion } from './token-service.ts';

export type Settings = CloudSettings<AzureConfig>;

/** Gives a token for an audience. Who asks is decided by then; what the settings have wrong was said. */
export type TokenSource = (audience: string, context: Context) => Promise<EntraToken>;

/** Asks nobody yet. */
export function tokenSourceFor(as: Identity, partition: Partition, settings: Settings): TokenSource {
  const { env, config } = settings;
  if (as.kind === 'token') {
    const application = annotatedApplication(as.role, config, env);
    const proof = (): Promise<Secret> => Promise.resolve(as.token);
    return federated({ application, proof, means: 'the token it was given' }, partition, settings);
  }
  if (as.role === undefined) return nodeSource(as.select, partition, settings);
  const application = annotatedApplication(as.role, config, env);
  return federated({ application, ...ownProof(as.select, partition, settings) }, partition, settings);
}

/** The order of the SDKs. A managed identity that was asked for by name goes first and is never passed over. */
function nodeSource(select: string | undefined, partition: Partition, settings: Settings): TokenSource {
  const { env, config } = settings;
  const found = select === undefined ? environmentIdentity(env) : undefined;
  if (found?.kind === 'secret' || found?.kind === 'certificate') {
    const authority = authorityOf(partition, config, env);
    return async (audience, context) => {
      const { servicePrincipalToken } = await import('./service-principal.ts');
      return servicePrincipalToken(found, audience, { authority, settings, context });
    };
  }
  if (found?.kind === 'token-file') {
    const { application, path } = found;
    return federated(
      { application, proof: () => tokenIn(path, settings), means: `the token in ${path}` },
      partition,
      settings,
    );
  }
  const identity = chooseManagedIdentity(select ?? (env['AZURE_CLIENT_ID'] || undefined));
  return (audience, context) => managedIdentityToken(identity, audience, { env, context });
}

interface Proof {
  /** For messages. */
  readonly means: string;
  proof(context: Context): Promise<Secret>;
}

/** How the node proves to Entra who it is, to become an application of the same or another tenant. */
function ownProof(select: string | undefined, partition: Partition, settings: Settings): Proof {
  const found = select === undefined ? environmentIdentity(settings.env) : undefined;
  if (found?.kind === 'token-file') {
    return { means: `the token in ${found.path}`, proof: () => tokenIn(found.path, settings) };
  }
  if (found !== undefined) {
    throw new Failure('misconfigured', 'a client secret or certificate cannot take on another application', {
      remedy: 'name the managed identity of this machine by nodeIdentity, and let the application trust that',
    });
  }
  const source = nodeSource(select, partition, settings);
  const audience = settings.config.exchangeAudience ?? partition.exchangeAudience;
  return {
    means: "this machine's managed identity",
    proof: async (context) => (await source(audience, context)).token,
  };
}

type Federation = Proof & { readonly application: Application };

function federated({ application, proof, means }: Federation, partition: Partition, settings: Settings): TokenSource {
  const authority = authorityOf(partition, settings.config, settings.env);
  return async (audience, context) => {
    context.http.warm?.({ url: authority });
    const token = await proof(context);
    return tokenByAssertion({ application, token, means }, audience, { authority, context });
  };
}

async function tokenIn(path: string, { host }: Settings): Promise<Secret> {
  const token = (await host.readText(path))?.trim();
  if (token) return new Secret(token);
  throw new Failure('misconfigured', `there is no token in ${path}`, { remedy: 'check AZURE_FEDERATED_TOKEN_FILE' });
}
