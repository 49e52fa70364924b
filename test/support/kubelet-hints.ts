import { clouds } from '../../clouds/index.ts';
import { loadHints } from '../../lib/kubelet-config/entries.ts';
import { defaultConfig } from '../../schemas/config/defaults.ts';
import { fakeHost } from '../clouds/fake-host.ts';

/** What all clouds tell about the kubelet's configuration, as `config lint` uses it. */
export const hints = await loadHints(clouds, { env: {}, host: fakeHost({}) }, defaultConfig);
