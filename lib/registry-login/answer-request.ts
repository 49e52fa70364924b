import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import type { Clock } from '../clock.ts';
import { parseImageReference } from '../image-reference.ts';
import type { ConfiguredClouds, ResolvedRegistry } from './resolve-registry.ts';
import { defaultBehavior } from './provider-behavior.ts';
import type { ProviderBehavior } from './provider-behavior.ts';
import { parseRequest } from './parse-request.ts';
import type { Identity, Login } from './registry.ts';
import { emptyResponse, toResponse } from './response.ts';

/** What of answering is the caller's own. */
export interface AnswerDeps {
  readonly clock: Clock;
  /** Told each secret before anything is done with it. */
  registerSecret(value: string): void;
  /** Absent: our own. */
  readonly behavior?: ProviderBehavior;
  configureClouds(): Promise<ConfiguredClouds>;
  /** By `logIn` of `log-in.ts`, however its context is had. */
  logIn(resolved: ResolvedRegistry, identity: Identity, configuredClouds: ConfiguredClouds): Promise<Login>;
}

/** The kubelet's request to its answer, whoever keeps the logins. Throws a `Failure` when there is none. */
export async function answerRequest(text: string, deps: AnswerDeps): Promise<CredentialProviderResponse> {
  const request = parseRequest(text);
  if (request.token !== undefined) deps.registerSecret(request.token.reveal());
  const configuredClouds = await deps.configureClouds();
  const image = parseImageReference(request.image);
  if (image === undefined) return emptyResponse(request.apiVersion);
  const behavior = deps.behavior ?? defaultBehavior;
  const matched = await behavior.resolveRegistry(image, configuredClouds);
  if (matched === undefined) return emptyResponse(request.apiVersion);
  const resolved = behavior.chooseService(matched, request);
  const login = await deps.logIn(resolved, behavior.identityFor(request, resolved), configuredClouds);
  deps.registerSecret(login.password.reveal());
  return behavior.formatResponse(toResponse(request.apiVersion, resolved, login, deps.clock.wallMs()), resolved);
}
