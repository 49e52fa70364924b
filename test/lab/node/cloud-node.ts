import type { EmbeddedName, StateOf } from '../clouds/embedded.ts';
import type { LabCloud } from '../clouds/lab-cloud.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { awsNode } from './aws-node.ts';
import { azureNode } from './azure-node.ts';
import { bootNode } from './boot-node.ts';
import { gcpNode } from './gcp-node.ts';
import type { LabNode } from './lab-node.ts';
import type { NodeOptions } from './node-options.ts';

/** What makes a node one of a cloud. */
export interface CloudNode<Name extends EmbeddedName> {
  options(): NodeOptions<Name>;
  /** Tells the cloud of the cluster. */
  configureCloud(cloud: LabCloud<StateOf<Name>>, plane: ControlPlane): Promise<void>;
}

const nodes: { readonly [Name in EmbeddedName]: CloudNode<Name> } = { aws: awsNode, azure: azureNode, gcp: gcpNode };

/** Omitted options have defaults. Other clouds can run next to it. */
export async function bootCloudNode<Own extends EmbeddedName, Other extends EmbeddedName = Own>(
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
