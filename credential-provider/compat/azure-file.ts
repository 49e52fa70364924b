import * as z from 'zod/mini';
import { Failure } from '../../lib/failure.ts';
import { parseJson } from '../../lib/json.ts';
import { Secret } from '../../lib/secret.ts';
import type { CompatRuntime } from './emulated-provider.ts';

/** The identity in azure.json. https://cloud-provider-azure.sigs.k8s.io/install/configs/ */
export interface AzureFile {
  readonly tenantId?: string;
  /** A client id or a resource id. */
  readonly managedIdentity?: string;
  /** A service principal instead of a managed identity: registries accept its secret as a password. */
  readonly principal?: { readonly clientId: string; readonly secret: Secret };
}

const text = z.nullish(z.string());
/** With lower-case keys: Go's decoder ignores case. */
const AzureJson = z.object({
  cloud: text,
  tenantid: text,
  resourcemanagerendpoint: text,
  usemanagedidentityextension: z.nullish(z.boolean()),
  userassignedidentityid: text,
  aadclientid: text,
  aadclientsecret: text,
});

export async function readAzureFile(path: string, { host }: Pick<CompatRuntime, 'host'>): Promise<AzureFile> {
  const content = await host.readText(path);
  if (content === undefined) {
    throw invalidFile(path, 'does not exist', 'pass the path of azure.json as the first argument');
  }
  const parsed = AzureJson.safeParse(await parse(content));
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') || 'the whole file';
    throw invalidFile(path, `is not a valid azure.json: ${field}`, 'correct it; it is JSON or YAML');
  }
  const { tenantid: tenantId, userassignedidentityid: managedIdentity } = parsed.data;
  refuseOwnCloud(path, parsed.data);
  const usesManagedIdentity = parsed.data.usemanagedidentityextension === true;
  if (!usesManagedIdentity) return { ...(tenantId && { tenantId }), principal: principalIn(path, parsed.data) };
  return {
    ...(tenantId && { tenantId }),
    // The first part of a resource id has several spellings; normalise it.
    ...(managedIdentity && { managedIdentity: managedIdentity.replace(/^\/?subscriptions\//i, '/subscriptions/') }),
  };
}

/** With lower-case keys. `undefined`: not a map. */
async function parse(content: string): Promise<unknown> {
  const value = parseJson(content) ?? (await parseYaml(content));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, each]: [string, unknown]) => [key.toLowerCase(), each]));
}

async function parseYaml(content: string): Promise<unknown> {
  const { readYaml } = await import('../../lib/config/read-yaml.ts');
  const yaml = readYaml(content, { version: '1.1' });
  return yaml.kind === 'read' ? yaml.value : undefined;
}

type Data = z.infer<typeof AzureJson>;

/** The host names of such a cloud come from its resource manager; here they are set in our configuration. */
function refuseOwnCloud(path: string, { cloud, resourcemanagerendpoint }: Data): void {
  if (!resourcemanagerendpoint && cloud?.toUpperCase() !== 'AZURESTACKCLOUD') return;
  const remedy = 'set azure.registrySuffixes and azure.authorityHost in /etc/polycloud/config.yaml';
  throw invalidFile(path, 'describes an Azure Stack cloud', `remove that from it, and ${remedy}`);
}

type Principal = NonNullable<AzureFile['principal']>;

function principalIn(path: string, { aadclientid: clientId, aadclientsecret: secret }: Data): Principal {
  if (clientId && secret) return { clientId, secret: new Secret(secret) };
  const remedy = 'set useManagedIdentityExtension, or aadClientId and aadClientSecret';
  throw invalidFile(path, 'names neither a managed identity nor a service principal', remedy);
}

function invalidFile(path: string, what: string, remedy: string): Failure {
  return new Failure('misconfigured', `${path} ${what}`, { remedy });
}
