import { failOver } from './ccm/fail-over.ts';
import { createControllerSubjects } from './ccm/subjects.ts';
import { memory } from './ccm/memory.ts';
import { newNodes, newNodesByDefault } from './ccm/new-nodes.ts';
import { openControllerFixture } from './ccm/fixture.ts';
import { startAws } from './ccm/clouds/aws.ts';
import { startAzure } from './ccm/clouds/azure.ts';
import type { StartBenchCloud } from './ccm/clouds/cloud.ts';
import { startGcp } from './ccm/clouds/gcp.ts';
import { startOpenstack } from './ccm/clouds/openstack.ts';
import { formatSamples, p50Of } from './harness/samples.ts';
import type { BenchSample } from './harness/samples.ts';
import type { Section } from './ccm/section.ts';
import { steady } from './ccm/steady.ts';
import { evaluateGates } from './harness/gate.ts';
import { chooseOne, numberOf } from './harness/options.ts';
import type { RunnableBench } from './harness/runnable.ts';

/** In this order; each can be run alone. */
const sections: Readonly<Record<string, Section>> = {
  init: newNodes,
  default: newNodesByDefault,
  failover: failOver,
  steady,
  memory,
};

const clouds: Readonly<Record<string, StartBenchCloud>> = {
  aws: startAws,
  azure: startAzure,
  gcp: startGcp,
  openstack: startOpenstack,
};

/** Our controller of Nodes and the cloud's own, if there is one here, on one API server and one cloud. */
export const ccm: RunnableBench = {
  options: ['cloud', 'only', 'steady-minutes'],
  run: async (options, log) => {
    const cloud = options['cloud'] ?? 'aws';
    const startCloud = chooseOne('--cloud', clouds, cloud);
    const names = (options['only'] ?? Object.keys(sections).join(',')).split(',');
    const chosen = names.map((name) => chooseOne('--only', sections, name));
    const steadyMinutes = numberOf('--steady-minutes', options['steady-minutes'] ?? '1', 60);
    const fixture = await openControllerFixture(startCloud, log);
    try {
      const subjects = await createControllerSubjects(fixture, log);
      const samples: BenchSample[] = [];
      for (const { run } of chosen) samples.push(...(await run({ fixture, subjects, steadyMinutes, log })));
      const gates = chosen.flatMap((section) => section.gates({ fixture, subjects }));
      const gateResults = evaluateGates(gates, (variant, metric) => p50Of(samples, variant, metric));
      return { table: formatSamples(samples), gateResults, json: { cloud, steadyMinutes, samples } };
    } finally {
      await fixture.stop();
    }
  },
};
