import t from 'tap';
import { agentMetrics, interruptionMetrics } from '../../schemas/metrics/agent.ts';
import { brokerMetrics } from '../../schemas/metrics/broker.ts';
import { controllerMetrics } from '../../schemas/metrics/controller.ts';
import { daemonMetrics } from '../../schemas/metrics/daemon.ts';
import type { MetricDeclarations } from '../../schemas/metrics/declaration.ts';

/** https://prometheus.io/docs/practices/naming/ */
const programs: Readonly<Record<string, readonly MetricDeclarations[]>> = {
  controller: [daemonMetrics, controllerMetrics],
  agent: [daemonMetrics, agentMetrics, interruptionMetrics, brokerMetrics],
};

for (const [program, tables] of Object.entries(programs)) {
  await t.test(`the names of the ${program} follow the conventions of Prometheus`, (t) => {
    const metrics = tables.flatMap((table) => Object.values(table));
    const names = metrics.map(({ name }) => name);
    t.equal(new Set(names).size, names.length, 'each name once');
    for (const { name, type, help, labels } of metrics) {
      t.match(name, /^[a-z]+(?:_[a-z]+)+$/);
      t.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
      t.notMatch(name, /_(?:ms|milliseconds|minutes|kb|mb|kilobytes|count|sum|bucket)(?:_|$)/, 'a base unit');
      if (type === 'histogram') t.match(name, /_seconds$/);
      t.match(help, /^(?:[A-Z]|\d).{5,}/, name);
      for (const label of Object.keys(labels)) {
        t.match(label, /^[a-z]+$/);
        t.not(label, 'le');
      }
    }
    t.end();
  });
}
