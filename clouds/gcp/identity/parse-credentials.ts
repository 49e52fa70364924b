import { Failure } from '../../../lib/failure.ts';
import { Secret } from '../../../lib/secret.ts';
import { ownUniverse } from '../../../schemas/config/gcp.defaults.ts';
import { audienceOf } from './pool-provider.ts';
import {
  AuthorizedUser,
  CredentialsFileType,
  ExternalAccount,
  ImpersonatedServiceAccount,
  ServiceAccountKey,
} from '../schemas.ts';
import { checkServiceAccount } from './service-account.ts';

/** The content of a credentials file. */
export interface FileCredentials {
  readonly source: SourceCredentials;
  /** The service account to impersonate with these credentials. */
  readonly target?: ImpersonationTarget;
}

export interface ImpersonationTarget {
  readonly email: string;
  readonly delegates: readonly string[];
}

export type SourceCredentials = KeyCredentials | UserCredentials | FederatedCredentials;

export interface KeyCredentials {
  readonly kind: 'key';
  readonly email: string;
  readonly keyId?: string;
  readonly privateKey: Secret;
}

export interface UserCredentials {
  readonly kind: 'user';
  readonly clientId: string;
  readonly clientSecret: Secret;
  readonly refreshToken: Secret;
}

export interface FederatedCredentials {
  readonly kind: 'federated';
  readonly audience: string;
  readonly tokenType: string;
  readonly credentialSource: ExternalAccount['credential_source'];
}

/** The path of the file and the universe of the node. */
interface FileLocation {
  readonly path: string;
  readonly universeDomain: string;
}

/**
 * Pure. Addresses in the file are not used: the endpoints of Google's APIs are known, and a file must not name others.
 */
export function parseCredentials(json: unknown, location: FileLocation): FileCredentials {
  const head = CredentialsFileType.safeParse(json);
  if (!head.success) {
    throw invalidFile(location, 'holds no credentials of Google', 'let it name a JSON file with a `type`');
  }
  const { type, universe_domain: universe = ownUniverse } = head.data;
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (read === undefined) {
    throw invalidFile(location, 'has a type that is not read here', `let it be one of ${types.join(', ')}`);
  }
  if (universe !== location.universeDomain) {
    throw invalidFile(
      location,
      'is for another universe than this node',
      'check its universe_domain and gcp.universeDomain',
    );
  }
  return read(json, location);
}

type Reader = (json: unknown, place: FileLocation) => FileCredentials;

const readers: Readonly<Record<string, Reader | undefined>> = {
  service_account: readKey,
  authorized_user: readUser,
  external_account: readExternal,
  impersonated_service_account: readImpersonated,
};
const types = Object.keys(readers);

function readKey(json: unknown, location: FileLocation): FileCredentials {
  const parsed = ServiceAccountKey.safeParse(json);
  if (!parsed.success) throw incomplete(location, parsed.error);
  requireOwnUniverse(location);
  const { client_email: email, private_key: privateKey, private_key_id: keyId } = parsed.data;
  checkServiceAccount(email, `client_email of ${location.path}`);
  return {
    source: { kind: 'key', email, privateKey: new Secret(privateKey), ...(keyId !== undefined && { keyId }) },
  };
}

function readUser(json: unknown, location: FileLocation): FileCredentials {
  const parsed = AuthorizedUser.safeParse(json);
  if (!parsed.success) throw incomplete(location, parsed.error);
  requireOwnUniverse(location);
  const { client_id: clientId, client_secret: clientSecret, refresh_token: refreshToken } = parsed.data;
  return {
    source: {
      kind: 'user',
      clientId,
      clientSecret: new Secret(clientSecret),
      refreshToken: new Secret(refreshToken),
    },
  };
}

const tokenTypePattern = /^urn:ietf:params:oauth:token-type:[a-z0-9_-]{1,32}$/;

function readExternal(json: unknown, location: FileLocation): FileCredentials {
  const parsed = ExternalAccount.safeParse(json);
  if (!parsed.success) throw incomplete(location, parsed.error);
  const { audience: named, subject_token_type: tokenType, credential_source: credentialSource } = parsed.data;
  const audience = audienceOf(named);
  if (audience === undefined || !tokenTypePattern.test(tokenType)) {
    throw invalidFile(
      location,
      'has an audience or a subject_token_type that is not read here',
      'make it for an OIDC provider of a workload identity pool: gcloud iam workload-identity-pools create-cred-config',
    );
  }
  if ((credentialSource.file === undefined) === (credentialSource.url === undefined)) {
    throw invalidFile(
      location,
      'has a credential_source that is not read here',
      'let it have either `file` or `url`; programs are never run, and AWS keys and certificates are not read',
    );
  }
  const url = parsed.data.service_account_impersonation_url;
  const target = url === undefined ? undefined : { email: emailIn(url, location), delegates: [] };
  return { source: { kind: 'federated', audience, tokenType, credentialSource }, ...(target && { target }) };
}

function readImpersonated(json: unknown, location: FileLocation): FileCredentials {
  const parsed = ImpersonatedServiceAccount.safeParse(json);
  if (!parsed.success) throw incomplete(location, parsed.error);
  const { service_account_impersonation_url: url, delegates = [], source_credentials: inner } = parsed.data;
  const { source, target } = parseCredentials(inner, location);
  if (target !== undefined) {
    throw invalidFile(location, 'impersonates twice', 'name the accounts between in `delegates`');
  }
  const checked = delegates.map((each) => checkServiceAccount(each, `a delegate of ${location.path}`));
  return { source, target: { email: emailIn(url, location), delegates: checked } };
}

function emailIn(url: string, { path }: FileLocation): string {
  const email = /\/serviceAccounts\/(?<email>[^/:]{1,254}):generateAccessToken$/.exec(url)?.groups?.['email'] ?? '';
  return checkServiceAccount(email, `the account in service_account_impersonation_url of ${path}`);
}

function requireOwnUniverse(location: FileLocation): void {
  if (location.universeDomain === ownUniverse) return;
  throw invalidFile(location, 'holds a key, which is not exchanged in this universe', 'use an external_account file');
}

function incomplete(
  location: FileLocation,
  error: { readonly issues: readonly { readonly path: readonly PropertyKey[] }[] },
): Failure {
  const field = error.issues[0]?.path.map(String).join('.') || 'something';
  return invalidFile(location, `lacks ${field}, or it is of the wrong type`, 'make the file anew');
}

function invalidFile({ path }: FileLocation, what: string, remedy: string): Failure {
  return new Failure('misconfigured', `${path}, which GOOGLE_APPLICATION_CREDENTIALS names, ${what}`, { remedy });
}
