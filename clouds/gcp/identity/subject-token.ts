import { Failure } from '../../../lib/failure.ts';
import { askSuccessfully, bodyText } from '../../../lib/http/ask.ts';
import { parseHttpAddress } from '../../../lib/http/address.ts';
import { parseJson } from '../../../lib/json.ts';
import { retry } from '../../../lib/retry.ts';
import { Secret } from '../../../lib/secret.ts';
import type { Context } from '../../../lib/context.ts';
import type { GcpCredentialSources } from './resolve-identity.ts';
import type { FederatedCredentials } from './parse-credentials.ts';

type CredentialSource = FederatedCredentials['credentialSource'];

const limits = { connectMs: 1_000, totalMs: 5_000 };
const policy = { attempts: 4, firstWaitMs: 200, maxWaitMs: 2_000 };
/**
 * The machine itself and link-local addresses: metadata services of other clouds. Requests to them never use a proxy.
 */
const localAddress = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|169\.254(?:\.\d{1,3}){2}|\[fd[0-9a-f:]+\])$/;

/**
 * The token of another issuer that an `external_account` file points to: in a file, or at an address of the node's
 * cloud.
 */
export async function subjectToken(
  credentialSource: CredentialSource,
  path: string,
  sources: GcpCredentialSources,
): Promise<Secret> {
  const { settings, context } = sources;
  const text =
    credentialSource.file === undefined
      ? await readAddress(credentialSource, path, context)
      : await settings.host.readText(credentialSource.file);
  const token = text === undefined ? undefined : tokenIn(text, credentialSource);
  if (token) return new Secret(token);
  const where = credentialSource.file ?? 'the address in credential_source.url';
  throw new Failure('misconfigured', `there is no token in ${where}, which ${path} points to`, {
    remedy: 'check credential_source in the file, and whatever writes the token there',
  });
}

function tokenIn(text: string, { format }: CredentialSource): string | undefined {
  if (format?.type !== 'json') return text.trim();
  const json = parseJson(text);
  const field = format.subject_token_field_name ?? '';
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, field)) return undefined;
  const value: unknown = Reflect.get(json, field);
  return typeof value === 'string' ? value : undefined;
}

async function readAddress(
  { url: text = '', headers = {} }: CredentialSource,
  path: string,
  context: Context,
): Promise<string> {
  const url = parseHttpAddress(text);
  if (url === undefined || (url.protocol !== 'https:' && !localAddress.test(url.hostname))) {
    throw new Failure('misconfigured', `credential_source.url of ${path} names an address that is not allowed`, {
      remedy: 'use https, or an address of this machine or of its metadata service',
    });
  }
  const target = `the token source at ${url.host}`;
  const route = localAddress.test(url.hostname) ? 'direct' : 'proxied';
  context.log.debug(`token for the exchange at ${target}`);
  const request = { target, method: 'GET', url, headers, route, limits } as const;
  return bodyText(await retry(() => askSuccessfully(request, context), policy, context));
}
