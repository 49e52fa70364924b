import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { chartValues } from '../../../build/docs/chart-values.ts';
import { projectDirectory } from '../../../build/project.ts';

const values = `# The name.
name: ''
# An API.
api:
  # Its host,
  # or its address.
  host: a
  port: 1
pod:
  # Where it runs.
  affinity:
    nodes: { required: [a] }
  # What it tolerates.
  tolerations:
    # All.
    - operator: Exists
    - key: a-taint-with-a-long-name
      operator: Exists
`;

await t.test('each value is listed with its default and its comment', async (t) => {
  t.equal(
    chartValues(values),
    `### General

- \`name\` (default \`""\`): The name.

### \`api\`

- \`api\`: An API.
- \`api.host\` (default \`"a"\`): Its host, or its address.
- \`api.port\` (default \`1\`): 

### \`pod\`

- \`pod.affinity\` (default \`{"nodes":{"required":["a"]}}\`): Where it runs.
- \`pod.tolerations\` (default in values.yaml): What it tolerates.`,
  );
});

await t.test('each value of the chart has a comment', async (t) => {
  const list = chartValues(await readFile(join(projectDirectory, 'charts/polycloud/values.yaml'), 'utf8'));
  const items = list.split('\n').filter((line) => line.startsWith('- '));
  t.ok(items.length > 50);
  t.same(
    items.filter((line) => line.endsWith(': ')),
    [],
  );
});
