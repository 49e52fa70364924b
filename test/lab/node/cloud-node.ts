import type { FederatedName } from '../clouds/embedded.ts';
import { awsNode } from './aws-node.ts';
import { azureNode } from './azure-node.ts';
import { bootNode } from './boot-node.ts';
import { gcpNode } from './gcp-node.ts';
import type { LabNode } from './lab-node.ts';
import type { CloudNode, NodeOptions } from './node-options.ts';

const nodes: { readonly [Name in FederatedName]: CloudNode<Name> } = { aws: awsNode, azure: azureNode, gcp: gcpNode };

/** Omitted options have defaults. Other clouds can run next to it. */
export async function bootCloudNode<Own extends FederatedName, Other extends FederatedName = Own>(
  cloud: Own,
  overrides: Partial<NodeOptions<NoInfer<Own> | Other>>,
): Promise<LabNode<Own | Other>> {
  const { options, configureCloud } = nodes[cloud];
  const node = await bootNode<Own | Other>({ ...options(), ...overrides });
  try {
    await configureCloud(node.clouds[cloud], node.plane);
    return node;
  } catch (error) {
    await node.stop();
    throw error;
  }
}
