import type { CredentialProviderResponse } from '../../schemas/credential-provider.ts';
import type { Clock } from '../clock.ts';
import { parseImageReference } from '../image-reference.ts';
import type { Catalogue, Found } from './find-registry.ts';
import { ownManner } from './manner.ts';
import type { Manner } from './manner.ts';
import { parseRequest } from './parse-request.ts';
import type { Identity, Login } from './registry.ts';
import { answerNobodys, answerWith } from './response.ts';

/** What of answering is the caller's own. */
export interface Steps {
  readonly clock: Clock;
  /** Told each secret before anything is done with it. */
  keepSecret(value: string): void;
  /** Absent: our own. */
  readonly manner?: Manner;
  openCatalogue(): Promise<Catalogue>;
  /** By `logIn` of `log-in.ts`, however its context is had. */
  logIn(found: Found, as: Identity, catalogue: Catalogue): Promise<Login>;
}

/** The kubelet's request to its answer, whoever keeps the logins. Throws a `Failure` when there is none. */
export async function answerRequest(text: string, steps: Steps): Promise<CredentialProviderResponse> {
  const request = parseRequest(text);
  if (request.token !== undefined) steps.keepSecret(request.token.reveal());
  const catalogue = await steps.openCatalogue();
  const image = parseImageReference(request.image);
  if (image === undefined) return answerNobodys(request.apiVersion);
  const manner = steps.manner ?? ownManner;
  const offered = await manner.find(image, catalogue);
  if (offered === undefined) return answerNobodys(request.apiVersion);
  const found = manner.serve(offered, request);
  const login = await steps.logIn(found, manner.identify(request, found), catalogue);
  steps.keepSecret(login.password.reveal());
  return manner.dress(answerWith(request.apiVersion, found, login, steps.clock.wallMs()), found);
}
