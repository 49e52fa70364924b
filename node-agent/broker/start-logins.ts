import { requestVersions } from '../../schemas/credential-provider.ts';
import type { CredentialProviderRequest } from '../../schemas/credential-provider.ts';
import { brokerProtocol } from '../../schemas/broker.ts';
import type { Config } from '../../schemas/config.ts';
import { handleRequest } from './handle-request.ts';
import type { BrokerDeps } from './handle-request.ts';
import type { BrokerResponse } from './socket/wire-format.ts';

/**
 * Logs in to the registries of `broker.loginAtStart` that have no login yet, so that the first pull of a node finds one.
 * To be called again until all have one; from then on the cache refreshes them. Never rejects.
 */
export function createStartLogins(deps: BrokerDeps): () => Promise<void> {
  let configOfLogins: Config | undefined;
  const done = new Set<string>();
  const lastProblems = new Map<string, string>();

  async function logIn(registry: string): Promise<void> {
    const response = await handleRequest(requestFor(registry), { ...deps, onLoginFailure: () => undefined });
    const problem = problemIn(response);
    if (problem === undefined) done.add(registry);
    else if (lastProblems.get(registry) !== problem) {
      deps.log.error(`Broker: no login at start for ${registry}`, { err: problem });
    }
    lastProblems.set(registry, problem ?? '');
  }

  return async () => {
    const config = await readableConfig(deps);
    if (config === undefined) return;
    // The cache was emptied with the change.
    if (config !== configOfLogins) done.clear();
    configOfLogins = config;
    const missing = new Set(config.broker.loginAtStart ?? []).difference(done);
    await Promise.all([...missing].map(logIn));
  };
}

/** `undefined`: each request reports why. */
async function readableConfig({ readConfig }: BrokerDeps): Promise<Config | undefined> {
  try {
    return await readConfig();
  } catch {
    return undefined;
  }
}

/** What the front end would send for an image of the registry. */
function requestFor(registry: string): string {
  const request: CredentialProviderRequest = {
    kind: 'CredentialProviderRequest',
    apiVersion: requestVersions[0],
    image: `${registry}/image`,
  };
  return `${brokerProtocol} polycloud-credential-provider\n${JSON.stringify(request)}`;
}

function problemIn({ outcome, text }: BrokerResponse): string | undefined {
  if (outcome !== 'answer') return text;
  return text.includes('"auth":{}') ? 'no cloud serves it, and no login is stored for it' : undefined;
}
