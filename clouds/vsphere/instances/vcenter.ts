import type { CloudSettings } from '../../cloud.ts';
import type { VcenterConfig, VsphereConfig } from '../../../schemas/config/vsphere.ts';
import { openVcenterSession } from '../session.ts';
import type { VcenterSession } from '../session.ts';
import { createVmListCache } from './list.ts';
import type { VmListCache } from './list.ts';
import { createTagReader } from './tags.ts';
import type { TagReader } from './tags.ts';

/** A vCenter, with what is kept between look-ups. */
export interface Vcenter {
  readonly name: string;
  readonly config: VcenterConfig;
  readonly session: VcenterSession;
  readonly lists: VmListCache;
  readonly tags: TagReader;
}

export function openVcenter(config: VcenterConfig, settings: CloudSettings<VsphereConfig>): Vcenter {
  const session = openVcenterSession(config, settings);
  return {
    name: config.name,
    config,
    session,
    lists: createVmListCache(session, config),
    tags: createTagReader(settings.config.tagCategories),
  };
}
