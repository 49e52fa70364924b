import * as z from 'zod/mini';
import { Failure } from '../../lib/failure.ts';
import { parseJson } from '../../lib/json.ts';
import { Secret } from '../../lib/secret.ts';
import type { CompatRuntime } from './emulated-provider.ts';

/** What azure.json says of who we are. https://cloud-provider-azure.sigs.k8s.io/install/configs/ */
export interface AzureFile {
  readonly tenantId?: string;
  /** A client id or a resource id. */
  readonly managedIdentity?: string;
  /** A service principal in place of a managed identity: registries take its secret as a password. */
  readonly principal?: { readonly clientId: string; readonly secret: Secret };
}

const text = z.nullish(z.string());
/** By its keys in small letters: Go's decoder takes them in any. */
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
    throw invalidFile(path, 'does not exist', 'let the first argument be the path of azure.json');
  }
  const parsed = AzureJson.safeParse(await parse(content));
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') || 'the whole';
    throw invalidFile(path, `is not what azure.json should be: ${field}`, 'correct it; it is JSON or YAML');
  }
  const { tenantid: tenantId, userassignedidentityid: managedIdentity } = parsed.data;
  refuseOwnCloud(path, parsed.data);
  const usesManagedIdentity = parsed.data.usemanagedidentityextension === true;
  if (!usesManagedIdentity) return { ...(tenantId && { tenantId }), principal: principalIn(path, parsed.data) };
  return {
    ...(tenantId && { tenantId }),
    // Whose first word is written in many ways, and in one here.
    ...(managedIdentity && { managedIdentity: managedIdentity.replace(/^\/?subscriptions\//i, '/subscriptions/') }),
  };
}

/** The keys of the whole in small letters; `undefined`: it is no map. */
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

/** Its host names would have to be asked for; ours have a place in the configuration. */
function refuseOwnCloud(path: string, { cloud, resourcemanagerendpoint }: Data): void {
  if (!resourcemanagerendpoint && cloud?.toUpperCase() !== 'AZURESTACKCLOUD') return;
  const remedy = 'name its hosts by azure.registrySuffixes and azure.authorityHost in /etc/polycloud/config.yaml';
  throw invalidFile(path, 'describes an Azure of your own', `take that out of it, and ${remedy}`);
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
