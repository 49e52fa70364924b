import { Failure } from '../../../lib/failure.ts';
import { apiRetryPolicy } from '../../../lib/http/ask.ts';
import { retry } from '../../../lib/retry.ts';
import { Secret } from '../../../lib/secret.ts';
import type { Context } from '../../../lib/context.ts';
import type { DigitaloceanConfig } from '../../../schemas/config/digitalocean.ts';
import type { CloudSettings, Identity, Login, Registry } from '../../cloud.ts';
import { askApi } from '../api.ts';
import { DockerCredentials } from '../schemas.ts';
import { readToken } from '../token.ts';
import { registryHost } from './hosts.ts';

/**
 * A login for one registry, for reading only. Without `expiry_seconds` it would be valid for ever, so that is always sent.
 * https://docs.digitalocean.com/reference/api/digitalocean/#operation/registries_get_dockerCredentials
 */
export async function logIn(
  { authKey, entry: name = '' }: Registry,
  as: Identity,
  settings: CloudSettings<DigitaloceanConfig>,
  context: Context,
): Promise<Login> {
  refuseOthers(as, authKey);
  const { config } = settings;
  const token = await readToken(settings);
  const query = { expiry_seconds: String(config.registryLoginSeconds) };
  const request = { path: `registries/${name}/docker-credentials`, query, scope: 'registry:read' };
  context.log.debug(`${request.path} as ${token.source}`);
  const response = await retry(() => askApi(request, token, config, context), apiRetryPolicy, context);
  if (response.is === 'missing') throw noRegistry(name, response.failure);
  // The response has no expiry. It is not later than the one that was asked for.
  const expiresAtMs = response.requestedAtMs + config.registryLoginSeconds * 1_000;
  return { ...parseCredentials(response.json, response.target), expiresAtMs, endsWithToken: false };
}

/** There is one identity for a node, and none for a pod. */
function refuseOthers(as: Identity, authKey: string): void {
  if (as.kind === 'token') {
    throw new Failure(
      'misconfigured',
      `${authKey} cannot be used as a pod: DigitalOcean accepts no tokens of clusters`,
      {
        remedy: 'serve it by a provider entry without tokenAttributes',
      },
    );
  }
  if (as.select === undefined && Object.keys(as.role ?? {}).length === 0) return;
  throw new Failure('misconfigured', `${authKey}: a node has one API token, and no other identity`, {
    remedy: 'remove nodeIdentity and the role of this registry from the configuration',
  });
}

const loginPattern = /^(?<username>[\x21-\x39\x3b-\x7e]+):(?<password>[\x21-\x7e]+)$/;

function parseCredentials(json: unknown, target: string): Pick<Login, 'username' | 'password'> {
  const { auth = '' } = DockerCredentials.safeParse(json).data?.auths[registryHost] ?? {};
  const { username, password } = loginPattern.exec(Buffer.from(auth, 'base64').toString('utf8'))?.groups ?? {};
  if (username !== undefined && password !== undefined) return { username, password: new Secret(password) };
  throw new Failure('invalid-response', `${target} answered without a usable login`, {
    remedy: 'check that nothing else, such as a proxy, answers in its place',
  });
}

function noRegistry(name: string, { kind, message }: Failure): Failure {
  return new Failure(kind, `the registry ${name} does not exist: ${message}`, {
    remedy: 'check the name of the image, and that the token is of the team that owns the registry',
  });
}
