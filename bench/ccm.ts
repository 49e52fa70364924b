import { failOver } from './ccm/fail-over.ts';
import { createControllerSubjects } from './ccm/subjects.ts';
import { memory } from './ccm/memory.ts';
import { newNodes, newNodesByDefault } from './ccm/new-nodes.ts';
import { openControllerFixture } from './ccm/fixture.ts';
import { formatSamples, p50Of } from './ccm/report.ts';
import type { ControllerSample, Section } from './ccm/section.ts';
import { steady } from './ccm/steady.ts';
import { evaluateGates } from './harness/gate.ts';
import type { RunnableBench } from './harness/runnable.ts';

/** In this order; each can be run alone. */
const sections: Readonly<Record<string, Section>> = {
  init: newNodes,
  default: newNodesByDefault,
  failover: failOver,
  steady,
  memory,
};

/** Our controller of Nodes and the one of AWS, on one API server and one EC2. */
export const ccm: RunnableBench = {
  options: ['only', 'steady-minutes'],
  run: async (options, log) => {
    const chosen = choose(options['only'] ?? Object.keys(sections).join(','));
    const steadyMinutes = minutesOf(options['steady-minutes'] ?? '1');
    const fixture = await openControllerFixture(log);
    try {
      const subjects = await createControllerSubjects(fixture, log);
      const samples: ControllerSample[] = [];
      for (const { run } of chosen) samples.push(...(await run({ fixture, subjects, steadyMinutes, log })));
      const gates = chosen.flatMap((section) => section.gates);
      const gateResults = evaluateGates(gates, (variant, metric) => p50Of(samples, variant, metric));
      return { table: formatSamples(samples), gateResults, json: { steadyMinutes, samples } };
    } finally {
      await fixture.stop();
    }
  },
};

function choose(names: string): readonly Section[] {
  return names.split(',').map((name) => {
    const section = Object.hasOwn(sections, name) ? sections[name] : undefined;
    if (section === undefined) throw new Error(`--only knows ${Object.keys(sections).join(', ')}, and not ${name}`);
    return section;
  });
}

function minutesOf(text: string): number {
  const minutes = Number(text);
  if (minutes > 0 && minutes <= 60) return minutes;
  throw new Error('--steady-minutes takes a number up to 60');
}
