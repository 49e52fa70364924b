import type { Test } from 'tap';
import type { EmbeddedName } from '../clouds/embedded.ts';
import { bootAwsNode } from './aws-node.ts';
import type { AwsNode, AwsNodeWishes } from './aws-node.ts';
import { bootAzureNode } from './azure-node.ts';
import type { AzureNode, AzureNodeWishes } from './azure-node.ts';
import { bootGcpNode } from './gcp-node.ts';
import type { GcpNode, GcpNodeWishes } from './gcp-node.ts';
import type { LabNode } from './lab-node.ts';

/** One that ends with the test. If that failed, the logs stay, and it is said where. */
export async function awsNodeFor<Other extends EmbeddedName = 'aws'>(
  t: Test,
  wishes: AwsNodeWishes<Other>,
): Promise<AwsNode<Other>> {
  return endingWith(t, await bootAwsNode(wishes));
}

/** The same at Azure. */
export async function azureNodeFor<Other extends EmbeddedName = 'azure'>(
  t: Test,
  wishes: AzureNodeWishes<Other>,
): Promise<AzureNode<Other>> {
  return endingWith(t, await bootAzureNode(wishes));
}

/** The same at Google. */
export async function gcpNodeFor<Other extends EmbeddedName = 'gcp'>(
  t: Test,
  wishes: GcpNodeWishes<Other>,
): Promise<GcpNode<Other>> {
  return endingWith(t, await bootGcpNode(wishes));
}

function endingWith<Name extends EmbeddedName>(t: Test, node: LabNode<Name>): LabNode<Name> {
  t.teardown(async () => {
    if (t.passing()) return node.stop();
    await node.stopAndKeepLogs();
    process.stderr.write(`${t.fullname} failed: the logs of node and control plane are in ${node.logDirectory}\n`);
  });
  return node;
}
