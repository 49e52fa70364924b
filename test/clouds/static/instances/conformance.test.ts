import t from 'tap';
import { createStaticInstances } from '../../../../clouds/static/instances/index.ts';
import type { NodeFacts } from '../../../../clouds/cloud.ts';
import { unusedContext } from '../../contexts.ts';
import { fakeHost } from '../../fake-host.ts';
import { runLookupConformance } from '../../lookup-conformance.ts';

const file = '/etc/polycloud/inventory.yaml';
const inventory = `
machines:
  - { name: one, addresses: [{ type: InternalIP, address: 192.168.7.1 }] }
  - { name: two, addresses: [{ type: InternalIP, address: 192.168.7.2 }] }
`;
let text: string | undefined;
const become = (next: string | undefined) => async (): Promise<void> => void (text = next);

function nodeOf(name: string): NodeFacts {
  return { uid: `uid of ${name}`, name, providerId: `static://${name}`, nodeIps: [], labels: {} };
}

await runLookupConformance(t, {
  scope: { cloud: 'static', key: 'static' },
  running: [nodeOf('one'), nodeOf('two')],
  missing: nodeOf('three'),
  malformed: nodeOf(''),
  failures: {
    'the file is missing': become(undefined),
    'the file is not YAML': become('['),
    'the file has another format': become('machines: 7'),
    'the file is empty': become(''),
  },
  open: async () => {
    text = inventory;
    const host = fakeHost({});
    const instances = createStaticInstances(file, { ...host, readText: async () => text });
    return { instances, context: unusedContext };
  },
});
