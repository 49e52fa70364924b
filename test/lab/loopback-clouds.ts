import { createAuthority } from './authority.ts';
import { azureSite } from './clouds/azure/site.ts';
import { labUserKey } from './clouds/aws/state.ts';
import { digitaloceanSite } from './clouds/digitalocean/site.ts';
import { labToken } from './clouds/digitalocean/state.ts';
import { embeddedClouds } from './clouds/embedded.ts';
import type { EmbeddedName, StateOf } from './clouds/embedded.ts';
import { gcpSite } from './clouds/gcp/site.ts';
import type { LabCloud } from './clouds/lab-cloud.ts';
import { runOnLoopback } from './clouds/loopback.ts';
import { openstackSite } from './clouds/openstack/site.ts';
import { labOpenrc } from './clouds/openstack/state.ts';
import { openNameProxy } from './name-proxy.ts';

/** Embedded clouds for a controller that runs on a machine of none of them. */
export interface LoopbackClouds<Name extends EmbeddedName> {
  readonly clouds: { readonly [Each in Name]: LabCloud<StateOf<Each>> };
  /**
   * The variables of a program that uses these clouds: Azure and Google at their production names, which a proxy leads
   * here; AWS, where SDKs have variables for it, by addresses. Credentials are of AWS's user and of the metadata
   * services of the others; DigitalOcean has a token, and OpenStack an application credential.
   */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export const loopbackRegion = 'us-west-2';

/** The directory is for certificates, and is the caller's to remove. */
export async function startLoopbackClouds<Name extends EmbeddedName>(
  names: readonly Name[],
  directory: string,
): Promise<LoopbackClouds<Name>> {
  const authority = await createAuthority(directory);
  const hosts = sites.flatMap(({ services }) => services.flatMap((service) => service.hosts.map(({ name }) => name)));
  const tls = await authority.issue('clouds', [...new Set(hosts)]);
  const clouds: Partial<Record<EmbeddedName, LabCloud<object>>> = {};
  for (const name of names) {
    clouds[name] = await runOnLoopback<object>(embeddedClouds[name], { plain: plainServices[name], tls });
  }
  const proxy = await openNameProxy((host) => addressOf(host, clouds));
  const running = Object.entries(clouds) as (readonly [EmbeddedName, LabCloud<object>])[];
  return {
    clouds: clouds as unknown as LoopbackClouds<Name>['clouds'],
    env: {
      HTTPS_PROXY: proxy.url,
      NO_PROXY: '127.0.0.1',
      SSL_CERT_FILE: authority.certificateFile,
      ...Object.fromEntries(running.flatMap(([name, lab]) => Object.entries(variablesOf[name](lab)))),
    },
    stop: async () => {
      await proxy.close();
      await Promise.all(running.map(([, lab]) => lab.stop()));
    },
  };
}

const sites = [azureSite([], []), digitaloceanSite(), gcpSite('googleapis.com'), openstackSite()] as const;

/** AWS's API as well: its variables name an address of plain HTTP. */
const plainServices: Readonly<Record<EmbeddedName, readonly string[]>> = {
  aws: Object.keys(embeddedClouds.aws.services),
  azure: ['imds'],
  digitalocean: ['metadata'],
  gcp: ['metadata'],
  openstack: ['metadata'],
};

const variablesOf: Readonly<Record<EmbeddedName, (lab: LabCloud<object>) => Readonly<Record<string, string>>>> = {
  aws: awsVariables,
  azure: (lab) => ({ AZURE_POD_IDENTITY_AUTHORITY_HOST: lab.url('imds') }),
  digitalocean: () => ({ DO_ACCESS_TOKEN: labToken }),
  gcp: (lab) => ({ GCE_METADATA_HOST: new URL(lab.url('metadata')).host }),
  openstack: () => labOpenrc,
};

/** Nothing but variables is needed for AWS, with its user's key. */
export function awsVariables(lab: Pick<LabCloud<object>, 'url'>): Readonly<Record<string, string>> {
  return {
    AWS_REGION: loopbackRegion,
    AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
    AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
    AWS_ENDPOINT_URL_EC2: lab.url('ec2'),
    AWS_ENDPOINT_URL_STS: lab.url('sts'),
    AWS_EC2_METADATA_SERVICE_ENDPOINT: lab.url('imds'),
  };
}

function addressOf(host: string, clouds: Partial<Record<EmbeddedName, LabCloud<object>>>): string | undefined {
  for (const { cloud, services } of sites) {
    const found = services.find(({ hosts }) => hosts.some(({ name }) => name === host));
    if (found !== undefined) return clouds[cloud]?.url(found.service);
  }
  return undefined;
}
