import { day } from './agent/day.ts';
import { drain } from './agent/drain.ts';
import { idle } from './agent/idle.ts';
import { openAgentFixture } from './agent/fixture.ts';
import type { AgentSection } from './agent/section.ts';
import { createAgentSubjects } from './agent/subjects.ts';
import { evaluateGates } from './harness/gate.ts';
import { readWholeFile } from './harness/measure.ts';
import { chooseOne, numberOf } from './harness/options.ts';
import type { RunnableBench } from './harness/runnable.ts';
import { formatSamples, p50Of } from './harness/samples.ts';
import type { BenchSample } from './harness/samples.ts';

/** In this order; each can be run alone. */
const sections: Readonly<Record<string, AgentSection>> = { drain, idle, day };

/** Our agent and the termination handler of AWS, on one API server and one metadata service. */
export const agent: RunnableBench = {
  options: ['only', 'rounds', 'idle-minutes'],
  run: async (options, log) => {
    const names = (options['only'] ?? Object.keys(sections).join(',')).split(',');
    const chosen = names.map((name) => chooseOne('--only', sections, name));
    const rounds = numberOf('--rounds', options['rounds'] ?? '3', 20);
    const idleMinutes = numberOf('--idle-minutes', options['idle-minutes'] ?? '0.5', 60);
    const fixture = await openAgentFixture(log);
    try {
      const subjects = await createAgentSubjects(fixture, log);
      // Only our start is measured.
      await readWholeFile(subjects.ours.file);
      const samples: BenchSample[] = [];
      for (const { run } of chosen) samples.push(...(await run({ fixture, subjects, rounds, idleMinutes, log })));
      const gates = chosen.flatMap((section) => section.gates);
      const gateResults = evaluateGates(gates, (variant, metric) => p50Of(samples, variant, metric));
      return { table: formatSamples(samples), gateResults, json: { rounds, idleMinutes, samples } };
    } finally {
      await fixture.stop();
    }
  },
};
