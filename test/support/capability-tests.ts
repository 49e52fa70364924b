import type { Capability } from '../../clouds/cloud.ts';

/** The test that a cloud has for a capability, in its folder in `test/clouds/`, and the suite that this test runs. */
export const capabilityTests: Readonly<Record<Capability, { readonly file: string; readonly suite?: string }>> = {
  registry: { file: 'index.test.ts', suite: 'runCloudConformance' },
  identity: { file: 'identity/issue-token.test.ts' },
  metadata: { file: 'metadata/describe.test.ts' },
  instances: { file: 'instances/conformance.test.ts', suite: 'runLookupConformance' },
  notices: { file: 'notices/poll.test.ts', suite: 'runNoticeConformance' },
  routes: { file: 'routes/conformance.test.ts', suite: 'runRouteConformance' },
};
