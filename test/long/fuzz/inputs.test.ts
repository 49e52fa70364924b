import { fuzz } from './fuzz.ts';
import { configuration } from './targets/configuration.ts';
import { providerIds } from './targets/provider-ids.ts';
import { imageNames, requests } from './targets/requests.ts';

/** What kubelets, operators and Nodes say. */
await fuzz('test/long/fuzz/inputs.test.ts', [imageNames, requests, configuration, providerIds]);
