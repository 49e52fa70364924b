import { Failure } from '../../../lib/failure.ts';
import { Secret } from '../../../lib/secret.ts';
import type { Environment } from '../../../lib/environment.ts';
import { isClientId, isTenantId } from './application.ts';
import type { Application } from './application.ts';

/**
 * An application whose credentials are in the environment.
 * https://learn.microsoft.com/azure/developer/javascript/sdk/authentication/credential-chains
 */
export type EnvironmentIdentity =
  | { readonly kind: 'secret'; readonly application: Application; readonly secret: Secret }
  | {
      readonly kind: 'certificate';
      readonly application: Application;
      readonly path: string;
      readonly password: Secret | undefined;
      readonly sendChain: boolean;
    }
  | { readonly kind: 'token-file'; readonly application: Application; readonly path: string };

/** `undefined`: there are none, so the managed identity is used. An incomplete set is an error. */
export function environmentIdentity(env: Environment): EnvironmentIdentity | undefined {
  const secret = env['AZURE_CLIENT_SECRET'];
  if (secret) {
    return { kind: 'secret', application: applicationFor('AZURE_CLIENT_SECRET', env), secret: new Secret(secret) };
  }
  const certificate = env['AZURE_CLIENT_CERTIFICATE_PATH'];
  if (certificate) {
    const password = env['AZURE_CLIENT_CERTIFICATE_PASSWORD'];
    return {
      kind: 'certificate',
      application: applicationFor('AZURE_CLIENT_CERTIFICATE_PATH', env),
      path: certificate,
      password: password ? new Secret(password) : undefined,
      sendChain: /^(?:1|true)$/i.test(env['AZURE_CLIENT_SEND_CERTIFICATE_CHAIN'] ?? ''),
    };
  }
  const path = env['AZURE_FEDERATED_TOKEN_FILE'];
  if (!path) return undefined;
  return { kind: 'token-file', application: applicationFor('AZURE_FEDERATED_TOKEN_FILE', env), path };
}

function applicationFor(variable: string, env: Environment): Application {
  const clientId = env['AZURE_CLIENT_ID'] ?? '';
  const tenantId = env['AZURE_TENANT_ID'] ?? '';
  if (isClientId(clientId) && isTenantId(tenantId)) return { clientId, tenantId };
  throw new Failure(
    'misconfigured',
    `${variable} is set, but AZURE_CLIENT_ID and AZURE_TENANT_ID do not name the application`,
    {
      remedy: 'set both to the ids that Entra shows, or unset it',
    },
  );
}
