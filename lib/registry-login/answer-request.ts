import type { Config } from '../../schemas/config.ts';
import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import type { Clock } from '../clock.ts';
import { parseImageReference } from '../image-reference.ts';
import type { Logins } from './log-in.ts';
import { parseRequest } from './parse-request.ts';
import { defaultBehavior } from './provider-behavior.ts';
import type { ProviderBehavior } from './provider-behavior.ts';
import type { Redactor } from './redactor.ts';
import type { AvailableClouds } from './resolve-registry.ts';
import { emptyResponse, toResponse } from './response.ts';

export interface AnswerDeps extends AvailableClouds {
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly logins: Logins;
  readConfig(): Promise<Config>;
}

/** From the kubelet's request to its response. Throws a `Failure` when there is no login. */
export async function answerRequest(
  text: string,
  deps: AnswerDeps,
  behavior: ProviderBehavior = defaultBehavior,
): Promise<CredentialProviderResponse> {
  const request = parseRequest(text);
  deps.redactor.hide(request.token);
  // Before the image is parsed: a broken configuration fails for every image.
  const config = await deps.readConfig();
  const image = parseImageReference(request.image);
  if (image === undefined) return emptyResponse(request.apiVersion);
  const registry = await behavior.resolveRegistry(image, config, deps);
  if (registry === undefined) return emptyResponse(request.apiVersion);
  const identity = behavior.identityFor(request, registry);
  const login = await deps.logins.get(registry, identity, config);
  deps.redactor.hide(login.password);
  return behavior.formatResponse(toResponse(request.apiVersion, registry, login, deps.clock.wallMs()), registry);
}
