import { Failure } from '../failure.ts';
import { parseJson } from '../json.ts';
import { Secret } from '../secret.ts';
import { CredentialProviderRequest } from '../../schemas/credential-provider.ts';

export interface ParsedRequest {
  readonly apiVersion: CredentialProviderRequest['apiVersion'];
  readonly image: string;
  /** Present: the login is for a pod, not for the node. */
  readonly token?: Secret;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A request that cannot be read is a failure: the kubelet would take an empty response for "needs no login". */
export function parseRequest(input: string): ParsedRequest {
  if (input.trim() === '') throw unreadable('standard input is empty');
  const json = parseJson(input);
  if (json === undefined) throw unreadable('standard input is not one JSON object');
  const parsed = CredentialProviderRequest.safeParse(json);
  if (!parsed.success) throw unreadable(issueText(parsed.error.issues[0]));
  const { apiVersion, image, serviceAccountToken, serviceAccountAnnotations } = parsed.data;
  return {
    apiVersion,
    image,
    ...(serviceAccountToken && { token: new Secret(serviceAccountToken) }),
    annotations: serviceAccountAnnotations ?? {},
  };
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly code?: string;
  readonly values?: readonly unknown[];
}

function issueText(issue: Issue | undefined): string {
  const field = issue?.path.map(String).join('.').slice(0, 80) || 'the request';
  if (issue?.values !== undefined) return `${field} must be ${issue.values.join(' or ')}`;
  return issue?.code === 'too_small' ? `${field} is empty` : `${field} is missing or of the wrong type`;
}

function unreadable(reason: string): Failure {
  return new Failure('invalid-response', `the request cannot be read: ${reason}`, {
    remedy: 'write a CredentialProviderRequest to standard input, as the kubelet does',
  });
}
