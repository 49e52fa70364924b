import type { ImageReference } from '../../../lib/image-reference.ts';
import type { KubeletHints } from '../../../schemas/kubelet-hints.ts';
import type { Registry } from '../../cloud.ts';
import { ownRegistryDomain } from '../../../schemas/config/gcp.defaults.ts';
import type { GcpConfig } from '../../../schemas/config/gcp.ts';

/**
 * Container Registry's domain, in Google's own universe only. All names below it are Google's, such as `gke.gcr.io`.
 */
const containerRegistryDomain = 'gcr.io';

/** Patterns instead of a list, so that new regions are served as soon as they open. */
const direction = '(?:central|north|northeast|northwest|south|southeast|southwest|east|west)';
const continent = '(?:africa|asia|australia|europe|me|northamerica|southamerica|us)';
const ownRegion = `${continent}-${direction}\\d{1,2}`;
/** In other universes the name of the country comes first: `u-france-east1`. */
const otherRegion = `u-[a-z]{2,24}-${direction}\\d{1,2}`;
const location = new RegExp(`^(?:us|europe|asia|${ownRegion}|${otherRegion})$`);
const region = new RegExp(`^(?:${ownRegion}|${otherRegion})$`);

/** The registry of an image. It accepts the access token itself, so no request goes to it. */
export function matchRegistry(image: ImageReference, config: GcpConfig): Registry | undefined {
  const found = containerRegistry(image.host, config) ?? artifactRegistry(image.host, config);
  return found && { ...found, authKey: image.registry, servesWholeHost: true };
}

type Kind = Pick<Registry, 'kind' | 'region'>;

function containerRegistry(host: string, { registryDomain }: GcpConfig): Kind | undefined {
  if (registryDomain !== ownRegistryDomain) return undefined;
  const isOurs = host === containerRegistryDomain || host.endsWith(`.${containerRegistryDomain}`);
  return isOurs ? { kind: 'gcr' } : undefined;
}

/** `LOCATION-docker.DOMAIN`, `docker.REGION.rep.DOMAIN`, and in other universes `docker.DOMAIN`. */
function artifactRegistry(host: string, { registryDomain }: GcpConfig): Kind | undefined {
  const kind = 'artifact-registry';
  const suffix = `.${registryDomain}`;
  const rest = host.endsWith(suffix) ? host.slice(0, -suffix.length) : '';
  if (rest === 'docker' && registryDomain !== ownRegistryDomain) return { kind };
  const matchedLocation = matchLocation(rest, plainPattern, location) ?? matchLocation(rest, regionalPattern, region);
  return matchedLocation === undefined ? undefined : { kind, region: matchedLocation };
}

const plainPattern = /^(?<place>[a-z0-9-]{1,63})-docker$/;
const regionalPattern = /^docker\.(?<place>[a-z0-9-]{1,63})\.rep$/;

function matchLocation(text: string, form: RegExp, places: RegExp): string | undefined {
  const place = form.exec(text)?.groups?.['place'];
  return place !== undefined && places.test(place) ? place : undefined;
}

/** No annotation is required: the token alone identifies the pod. */
export function kubeletHints(config: GcpConfig): KubeletHints {
  const { registryDomain, workloadIdentityProvider: provider } = config;
  const containerRegistryGlobs = registryDomain === ownRegistryDomain ? ['gcr.io', '*.gcr.io'] : [];
  return {
    matchImages: [...containerRegistryGlobs, `*.${registryDomain}`, `docker.*.rep.${registryDomain}`],
    pod: {
      ...(provider !== undefined && { audience: `https://iam.googleapis.com/${provider}` }),
      audienceRemedy: 'set gcp.workloadIdentityProvider in the configuration',
      audiencesWithoutAnnotation: /^(?:https:)?\/\/iam\.googleapis\.com\/|\.svc\.id\.goog$/,
      requiredAnnotations: [],
      optionalAnnotations: [...config.serviceAccountAnnotations, ...config.providerAnnotations],
    },
  };
}
