import type { Test } from 'tap';
import type { EmbeddedName } from '../clouds/embedded.ts';
import { bootAwsNode } from './aws-node.ts';
import type { AwsNode, AwsNodeWishes } from './aws-node.ts';

/** One that ends with the test. If that failed, the logs stay, and it is said where. */
export async function awsNodeFor<Other extends EmbeddedName = 'aws'>(
  t: Test,
  wishes: AwsNodeWishes<Other>,
): Promise<AwsNode<Other>> {
  const node = await bootAwsNode(wishes);
  t.teardown(async () => {
    if (t.passing()) return node.stop();
    await node.stopAndKeepLogs();
    process.stderr.write(`${t.fullname} failed: the logs of node and control plane are in ${node.logDirectory}\n`);
  });
  return node;
}
