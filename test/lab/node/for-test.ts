import type { Test } from 'tap';
import type { FederatedName } from '../clouds/embedded.ts';
import { bootCloudNode } from './cloud-node.ts';
import type { LabNode } from './lab-node.ts';
import type { NodeOptions } from './node-options.ts';

/** A node of this cloud, which ends with the test. If the test failed, the logs stay, and their path is printed. */
export async function nodeFor<Own extends FederatedName, Other extends FederatedName = Own>(
  t: Test,
  cloud: Own,
  overrides: Partial<NodeOptions<NoInfer<Own> | Other>>,
): Promise<LabNode<Own | Other>> {
  const node = await bootCloudNode<Own, Other>(cloud, overrides);
  t.teardown(async () => {
    if (t.passing()) return node.stop();
    await node.stopAndKeepLogs();
    process.stderr.write(`${t.fullname} failed: the logs of node and control plane are in ${node.logDirectory}\n`);
  });
  return node;
}
