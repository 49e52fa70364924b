import { Failure } from '../../../lib/failure.ts';
import type { Environment } from '../../../lib/environment.ts';
import type { AzureConfig } from '../../../schemas/config/azure.ts';

/** An application in a tenant of Entra. A managed identity is one too. */
export interface Application {
  readonly tenantId: string;
  readonly clientId: string;
}

const guid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** A tenant can also be named by one of its domains. */
const tenant = /^(?!(?:common|organizations|consumers)$)[0-9a-z](?:[0-9a-z.-]{0,251}[0-9a-z])$/i;

export function isClientId(text: string): boolean {
  return guid.test(text);
}

export function isTenantId(text: string): boolean {
  return tenant.test(text);
}

/** The application that annotations name. Without a client id it fails; the node's identity is never used instead. */
export function annotatedApplication(
  annotations: Readonly<Record<string, string>>,
  config: AzureConfig,
  env: Environment,
): Application {
  const { clientIdAnnotations, tenantIdAnnotations, tenantId: defaultTenant } = config;
  const clientId = firstOf(annotations, clientIdAnnotations);
  if (clientId === undefined) throw missingAnnotation('client id', clientIdAnnotations);
  if (!isClientId(clientId.value)) throw malformed(clientId.where, 'a client id');
  const tenantId =
    firstOf(annotations, tenantIdAnnotations) ??
    namedValue('azure.tenantId', defaultTenant) ??
    namedValue('AZURE_TENANT_ID', env['AZURE_TENANT_ID']);
  if (tenantId === undefined) throw missingAnnotation('tenant id', tenantIdAnnotations);
  if (!isTenantId(tenantId.value)) throw malformed(tenantId.where, 'a tenant');
  return { tenantId: tenantId.value, clientId: clientId.value };
}

interface NamedValue {
  readonly where: string;
  readonly value: string;
}

function firstOf(annotations: Readonly<Record<string, string>>, keys: readonly string[]): NamedValue | undefined {
  const key = keys.find((candidate) => Object.hasOwn(annotations, candidate) && annotations[candidate]);
  return key === undefined ? undefined : namedValue(`annotation ${key}`, annotations[key]);
}

function namedValue(where: string, value: string | undefined): NamedValue | undefined {
  return value ? { where, value } : undefined;
}

function missingAnnotation(what: string, keys: readonly string[]): Failure {
  return new Failure('misconfigured', `no annotation names an Azure ${what}`, {
    remedy: `annotate the service account with ${keys[0]}: <${what}> and list the key in tokenAttributes, or write it into the registry's role`,
  });
}

function malformed(where: string, what: string): Failure {
  return new Failure('misconfigured', `${where} does not hold ${what}`, {
    remedy: 'write it as xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, as Entra shows it',
  });
}
