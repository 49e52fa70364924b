import { traits as aws } from './aws/traits.ts';
import { traits as azure } from './azure/traits.ts';
import type { Capability, CloudEntry } from './cloud.ts';
import { traits as digitalocean } from './digitalocean/traits.ts';
import { traits as gcp } from './gcp/traits.ts';
import { traits as openstack } from './openstack/traits.ts';
import { traits as staticTraits } from './static/traits.ts';
import { traits as vsphere } from './vsphere/traits.ts';

export type {
  Cloud,
  CloudEntry,
  CloudRuntime,
  CloudTraits,
  Identity,
  ImageRegistry,
  Instance,
  Instances,
  Login,
  LookupContext,
  LookupResult,
  NodeFacts,
  NodeUid,
  Notice,
  NoticePoll,
  Notices,
  Route,
  RouteResult,
  Routes,
  Scope,
} from './cloud.ts';

/** Asked in this order; `static` is last, since a stored login is for what no cloud serves. */
export const clouds: readonly CloudEntry[] = [
  {
    ...aws,
    load: async (runtime, config) => (await import('./aws/index.ts')).createAws({ ...runtime, config: config.aws }),
    replaceVendorConfig: async (...file) => (await import('./aws/vendor-config.ts')).replaceAwsConfig(...file),
  },
  {
    ...gcp,
    load: async (runtime, config) => (await import('./gcp/index.ts')).createGcp({ ...runtime, config: config.gcp }),
    replaceVendorConfig: async (...file) => (await import('./gcp/vendor-config.ts')).replaceGcpConfig(...file),
  },
  {
    ...azure,
    load: async (runtime, config) =>
      (await import('./azure/index.ts')).createAzure({ ...runtime, config: config.azure }),
    replaceVendorConfig: async (...file) => (await import('./azure/vendor-config.ts')).replaceAzureConfig(...file),
  },
  {
    ...openstack,
    load: async (runtime, config) =>
      (await import('./openstack/index.ts')).createOpenstack({ ...runtime, config: config.openstack }),
    replaceVendorConfig: async (...file) =>
      (await import('./openstack/vendor-config.ts')).replaceOpenstackConfig(...file),
  },
  {
    ...digitalocean,
    load: async (runtime, config) =>
      (await import('./digitalocean/index.ts')).createDigitalocean({ ...runtime, config: config.digitalocean }),
  },
  {
    ...vsphere,
    load: async (runtime, config) =>
      (await import('./vsphere/index.ts')).createVsphere({ ...runtime, config: config.vsphere }),
    replaceVendorConfig: async (...file) => (await import('./vsphere/vendor-config.ts')).replaceVsphereConfig(...file),
  },
  {
    ...staticTraits,
    load: async (runtime, config) => (await import('./static/index.ts')).createStatic({ ...runtime, config }),
  },
];

/** Names of the clouds that offer it. */
export function cloudsWith(capability: Capability): readonly string[] {
  return clouds.flatMap(({ name, capabilities }) => (capabilities.includes(capability) ? [name] : []));
}
