import { Failure } from '../../../lib/failure.ts';
import type { Host } from '../../../lib/host.ts';
import { Secret } from '../../../lib/secret.ts';
import type { EndpointInterface } from './catalog.ts';
import type { ConnectionSettings } from './connection-settings.ts';

/** Where Keystone is, and how to log in. */
export interface Connection {
  /** Ends in `/v3`. */
  readonly authUrl: URL;
  readonly method: AuthMethod;
  /** Absent: the only one of the catalog. */
  readonly region: string | undefined;
  readonly interface: EndpointInterface;
  /** PEM certificates that replace the host's trust. */
  readonly trustOnly: string | undefined;
  /** For messages: whose credentials these are. */
  readonly source: string;
}

/** https://docs.openstack.org/api-ref/identity/v3/#authentication-and-token-management */
export type AuthMethod =
  | { readonly is: 'password'; readonly user: NamedInDomain; readonly password: Secret; readonly scope: AuthScope }
  | {
      readonly is: 'application_credential';
      readonly credential: { readonly id: string } | { readonly name: string; readonly user: NamedInDomain };
      readonly secret: Secret;
    }
  /** Without a scope it stays that of the token. */
  | { readonly is: 'token'; readonly token: Secret; readonly scope: AuthScope | undefined };

/** By its id, or by its name, which is unique in its domain only. */
export type NamedInDomain = { readonly id: string } | { readonly name: string; readonly domain: DomainReference };
type DomainReference = { readonly id: string } | { readonly name: string };
export type AuthScope = { readonly project: NamedInDomain } | { readonly 'OS-TRUST:trust': { readonly id: string } };

/** `region` of our configuration wins. Throws a `Failure` that names what is missing. */
export async function connectionOf(
  settings: ConnectionSettings,
  region: string | undefined,
  host: Pick<Host, 'readText' | 'homeDirectory'>,
): Promise<Connection> {
  refuseUnsupported(settings);
  return {
    authUrl: authUrlOf(settings),
    method: methodOf(settings),
    region: region ?? settings.value('region_name'),
    interface: interfaceOf(settings),
    trustOnly: await trustOf(settings, host),
    source: settings.source,
  };
}

/** What would be less safe, or not work at all, if it were ignored. */
function refuseUnsupported(settings: ConnectionSettings): void {
  const isUnverified = settings.flag('verify') === false || settings.flag('insecure') === true;
  if (isUnverified) {
    throw settings.mistake('turns off the verification of certificates, which is not supported', 'set cacert instead');
  }
  for (const key of ['cert', 'system_scope', 'passcode']) {
    if (settings.value(key) === undefined) continue;
    throw settings.mistake(`has ${key}, which is not supported`, 'use an application credential');
  }
  if (settings.value('identity_api_version')?.startsWith('3') === false) {
    throw settings.mistake('names another version of the Identity API than 3', 'use the v3 endpoint of Keystone');
  }
}

function authUrlOf(settings: ConnectionSettings): URL {
  const text = settings.value('auth_url');
  if (text === undefined) {
    const isProfile = settings.value('profile') !== undefined;
    const why = isProfile ? 'has no auth_url; profiles of vendors are not read' : 'has no auth_url';
    throw settings.mistake(why, "set it to Keystone's address, e.g. https://keystone.example.com/v3");
  }
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw settings.mistake('has an auth_url that is not a URL', 'write it as https://keystone.example.com/v3');
  }
  if (/\/v2\.0\/*$/.test(url.pathname)) {
    throw settings.mistake('has the auth_url of version 2', 'use the v3 endpoint of Keystone');
  }
  url.pathname = `${url.pathname.replace(/(?:\/v3)?\/*$/, '')}/v3`;
  url.search = '';
  return url;
}

const methods: Readonly<Record<string, AuthMethod['is']>> = {
  password: 'password',
  v3password: 'password',
  v3applicationcredential: 'application_credential',
  token: 'token',
  v3token: 'token',
};

/** Without `auth_type`, or with `password`, which is everybody's default, what is there decides. */
function methodOf(settings: ConnectionSettings): AuthMethod {
  const type = settings.value('auth_type') ?? 'password';
  const named = Object.hasOwn(methods, type) ? methods[type] : undefined;
  if (named === undefined) {
    throw settings.mistake('has an auth_type that is not supported', 'use v3applicationcredential, password or token');
  }
  if (named === 'application_credential' || (type === 'password' && hasApplicationCredential(settings))) {
    return applicationCredential(settings);
  }
  const isToken =
    named === 'token' || (settings.value('password') === undefined && settings.value('token') !== undefined);
  return isToken ? tokenMethod(settings) : passwordMethod(settings);
}

function hasApplicationCredential(settings: ConnectionSettings): boolean {
  return settings.value('application_credential_secret') !== undefined && settings.value('password') === undefined;
}

function applicationCredential(settings: ConnectionSettings): AuthMethod {
  const id = settings.value('application_credential_id');
  const name = settings.value('application_credential_name');
  const secret = new Secret(settings.required('application_credential_secret'));
  if (id !== undefined) return { is: 'application_credential', credential: { id }, secret };
  if (name === undefined) throw settings.mistake('has no application_credential_id', 'set it');
  return { is: 'application_credential', credential: { name, user: userOf(settings) }, secret };
}

function passwordMethod(settings: ConnectionSettings): AuthMethod {
  const scope = scopeOf(settings);
  if (scope === undefined) throw settings.mistake('names no project', 'set project_id, or project_name and its domain');
  return { is: 'password', user: userOf(settings), password: new Secret(settings.required('password')), scope };
}

function tokenMethod(settings: ConnectionSettings): AuthMethod {
  return { is: 'token', token: new Secret(settings.required('token')), scope: scopeOf(settings) };
}

function userOf(settings: ConnectionSettings): NamedInDomain {
  const id = settings.value('user_id');
  return id === undefined ? { name: settings.required('username'), domain: domainOf(settings, 'user') } : { id };
}

function scopeOf(settings: ConnectionSettings): AuthScope | undefined {
  const trust = settings.value('trust_id');
  if (trust !== undefined) return { 'OS-TRUST:trust': { id: trust } };
  const id = settings.value('project_id') ?? settings.value('tenant_id');
  if (id !== undefined) return { project: { id } };
  const name = settings.value('project_name') ?? settings.value('tenant_name');
  return name === undefined ? undefined : { project: { name, domain: domainOf(settings, 'project') } };
}

function domainOf(settings: ConnectionSettings, whose: 'user' | 'project'): DomainReference {
  for (const prefix of [`${whose}_`, '', 'default_']) {
    const id = settings.value(`${prefix}domain_id`);
    if (id !== undefined) return { id };
    const name = settings.value(`${prefix}domain_name`);
    if (name !== undefined) return { name };
  }
  throw settings.mistake(`names no domain of the ${whose}`, `set ${whose}_domain_name, e.g. Default`);
}

/** As in clouds.yaml, or as older clients write it: `publicURL`. */
function interfaceOf(settings: ConnectionSettings): EndpointInterface {
  const text = (settings.value('interface') ?? settings.value('endpoint_type') ?? 'public').replace(/URL$/, '');
  if (text === 'public' || text === 'internal' || text === 'admin') return text;
  throw settings.mistake('has an interface that is not one', 'use public, internal or admin');
}

async function trustOf(
  settings: ConnectionSettings,
  host: Pick<Host, 'readText' | 'homeDirectory'>,
): Promise<string | undefined> {
  const path = settings.value('cacert')?.replace(/^~(?=\/)/, host.homeDirectory);
  if (path === undefined) return undefined;
  const text = await host.readText(path);
  if (text?.includes('-----BEGIN CERTIFICATE-----') === true) return text;
  throw new Failure('misconfigured', `${path}, the cacert of ${settings.source}, holds no certificate`, {
    remedy: 'let it name a file of PEM certificates',
  });
}
