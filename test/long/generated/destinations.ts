import { parse } from 'yaml';
import * as z from 'zod/mini';
import { partitionOf } from '../../lab/clouds/aws/hosts.ts';
import type { GeneratedCase } from './generated-case.ts';
import { acrSuffixes, ownAcrSuffix } from './hosts.ts';
import { services } from './raw-servers.ts';
import type { Service } from './raw-servers.ts';

/** Who an address is, if this case may ask there at all: by tables of our own, and by what image and configuration name. */
export function serviceAt(url: URL, { env, request, files }: GeneratedCase): Service | undefined {
  if (url.username !== '' || url.password !== '' || url.port !== '') return undefined;
  const names: Names = { env, config: files['config.yaml'] ?? '', image: request.bytes.toString('utf8') };
  const near = localServiceAt(url, names);
  if (near !== undefined || url.protocol !== 'https:') return near;
  return (
    apiAt(url.hostname, names) ??
    entraAt(url.hostname, names) ??
    acrAt(url.hostname, names) ??
    googleAt(url.hostname, names)
  );
}

/** They are asked directly, whatever proxies there are. */
export const localServices: ReadonlySet<Service> = new Set(['imds', 'container', 'azure-imds', 'gce']);

interface Names {
  readonly env: GeneratedCase['env'];
  readonly config: string;
  readonly image: string;
}

interface MetadataRow {
  readonly service: Service;
  readonly hosts: readonly string[];
  readonly path: string;
  /** With it, the usual addresses must not be used. */
  readonly variable: string;
  readonly cloud: 'aws' | 'azure' | 'gcp';
}

const linkLocal = '169.254.169.254';
const metadataRows: readonly MetadataRow[] = [
  {
    service: 'imds',
    hosts: [linkLocal, '[fd00:ec2::254]'],
    path: '/latest/',
    variable: 'AWS_EC2_METADATA_SERVICE_ENDPOINT',
    cloud: 'aws',
  },
  {
    service: 'azure-imds',
    hosts: [linkLocal],
    path: '/metadata/',
    variable: 'AZURE_POD_IDENTITY_AUTHORITY_HOST',
    cloud: 'azure',
  },
  {
    service: 'gce',
    hosts: [linkLocal, '[fd20:ce::254]'],
    path: '/computeMetadata/v1/',
    variable: 'GCE_METADATA_HOST',
    cloud: 'gcp',
  },
];
const containerHost = '169.254.170.2';

function localServiceAt({ hostname, pathname, protocol }: URL, names: Names): Service | undefined {
  if (protocol !== 'http:') return undefined;
  if (hostname === containerHost) return names.env['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] ? 'container' : undefined;
  const row = metadataRows.find(({ hosts, path }) => hosts.includes(hostname) && pathname.startsWith(path));
  return row !== undefined && !names.env[row.variable] && mentionsCloud(row.cloud, names) ? row.service : undefined;
}

const cloudPatterns = { aws: /ecr|public\.ecr/, azure: /azurecr/, gcp: /gcr\.io|pkg\.dev|s3nsregistry/ };

/** A cloud is none of our business unless the image or the configuration speaks of it. */
function mentionsCloud(cloud: MetadataRow['cloud'], { image, config }: Names): boolean {
  return cloudPatterns[cloud].test(`${image} ${config}`) || config.includes(cloud);
}

const apiHost = /^(?:api\.)?(?<service>ecr|ecr-public|sts)(?:-fips)?\.(?<region>[a-z0-9-]+)\.(?<suffix>[a-z0-9.-]+)$/;
/** Of the machine, where it has to prove to others who it is. */
const ownRegion = 'us-west-2';

/** Of the region that the image names, or its mirror; ECR Public has one of its own. */
function apiAt(host: string, { image, config }: Names): Service | undefined {
  const { service, region = '', suffix = '' } = apiHost.exec(host)?.groups ?? {};
  const partition = partitionOf(region);
  const named = `${image} ${config} ${config.includes('aws') ? ownRegion : ''}`;
  const isPublic = region === 'us-east-1' && /public\.ecr\.aws|ecr-public\.aws\.com/.test(named);
  const isRight =
    [partition.suffix, partition.dualStackSuffix].includes(suffix) && (isPublic || named.includes(region));
  return isRight ? services.find((known) => known === service) : undefined;
}

const authorities: Readonly<Record<string, string>> = {
  'azurecr.io': 'login.microsoftonline.com',
  'azurecr.us': 'login.microsoftonline.us',
  'azurecr.cn': 'login.chinacloudapi.cn',
  'azurecr.de': 'login.microsoftonline.de',
  [ownAcrSuffix]: 'login.microsoftonline.com',
};

/** The variable goes before the configuration, and that before the table. */
function entraAt(host: string, { env, config, image }: Names): Service | undefined {
  const named = env['AZURE_AUTHORITY_HOST'] || settingsIn(config).azure?.authorityHost;
  const proving = config.includes('azure') ? ['login.microsoftonline.com'] : [];
  const usual = Object.keys(authorities).filter((suffix) => `${image} ${config}`.includes(suffix));
  const hosts = named ? [hostOf(named)] : [...usual.map((suffix) => authorities[suffix]), ...proving];
  return hosts.includes(host) ? 'entra' : undefined;
}

function hostOf(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).hostname : undefined;
}

/** A registry that was named whole, or the name without region that it may call itself. */
function acrAt(host: string, { image, config }: Names): Service | undefined {
  const own = config.includes(ownAcrSuffix) ? [ownAcrSuffix] : [];
  const suffix = [...acrSuffixes, ...own].find((each) => host.endsWith(`.${each}`));
  if (suffix === undefined) return undefined;
  const [name = ''] = host.split('.');
  const named = `${image} ${config}`;
  const isWhole = new RegExp(`(?<![\\w.-])${host.replaceAll('.', '\\.')}(?![\\w.-])`).test(named);
  const isOfRegion = new RegExp(`(?<![\\w.-])${name}\\.[a-z0-9]+\\.geo\\.${suffix}(?![\\w.-])`).test(named);
  return isWhole || (isOfRegion && host === `${name}.${suffix}`) ? 'acr' : undefined;
}

interface GoogleApi {
  readonly service: Service;
  readonly setting: 'sts' | 'iamCredentials' | 'oauth2';
  usualHost(universeDomain: string): string;
}

const googleApis: readonly GoogleApi[] = [
  { service: 'google-sts', setting: 'sts', usualHost: (universeDomain) => `sts.${universeDomain}` },
  { service: 'iam', setting: 'iamCredentials', usualHost: (universeDomain) => `iamcredentials.${universeDomain}` },
  { service: 'oauth2', setting: 'oauth2', usualHost: () => 'oauth2.googleapis.com' },
];

/** Each API has one host: the one that the configuration names, else the one in the configured universe. */
function googleAt(host: string, names: Names): Service | undefined {
  if (!mentionsCloud('gcp', names)) return undefined;
  const { endpoints = {}, universeDomain = 'googleapis.com' } = settingsIn(names.config).gcp ?? {};
  const api = googleApis.find(({ setting, usualHost }) => {
    const configured = endpoints[setting];
    return host === (configured === undefined ? usualHost(universeDomain) : hostOf(configured));
  });
  return api?.service;
}

const baseUrl = z.string().check(z.regex(/^https:\/\/[a-z0-9.-]+\/?$/));
const Settings = z.object({
  azure: z.optional(z.object({ authorityHost: z.optional(baseUrl) })),
  gcp: z.optional(
    z.object({
      endpoints: z.optional(
        z.object({ sts: z.optional(baseUrl), iamCredentials: z.optional(baseUrl), oauth2: z.optional(baseUrl) }),
      ),
      universeDomain: z.optional(z.string()),
    }),
  ),
});

/** The hosts that the configuration names. A configuration that cannot be read names none: nothing follows from it. */
function settingsIn(config: string): z.infer<typeof Settings> {
  try {
    return Settings.safeParse(parse(config, { logLevel: 'error' })).data ?? {};
  } catch {
    return {};
  }
}
