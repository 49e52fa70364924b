import type { Socket } from 'node:net';
import type { Node } from '../../../schemas/kubernetes.ts';
import type { EmbeddedName } from '../clouds/embedded.ts';
import type { CloudNetwork } from '../cloud-network.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { PartProgram } from '../control-plane/processes.ts';
import type { Namespace } from '../network/namespace.ts';
import type { RunOptions, RunResult } from '../network/run-command.ts';
import type { NodeEndpoint, PlainResponse } from './gateway.ts';
import type { Image } from './image/oci-image.ts';
import type { PodOutcome, PodOptions } from './pods.ts';

/** A machine with a kubelet in a cluster of its own, and clouds around it. It ends with this process at the latest. */
export interface LabNode<Name extends EmbeddedName> extends NodeParts<Name>, NodeImages, NodePods, NodeAccess {
  /** Of the Node, and of the machine. */
  readonly name: string;
  /** Its kubeconfigs are good out here and inside. */
  readonly plane: ControlPlane;
  readonly clouds: CloudNetwork<Name>['clouds'];
  /** For programs next to the node: its network and names, and the files of this machine. */
  readonly namespace: Namespace;
  /** How long it took until the Node was there. */
  readonly bootMs: number;
  readonly logDirectory: string;
  /** Nothing is left. Once is enough, more does no harm. */
  stop(): Promise<void>;
  /** The same, except for the logs of the node and of the control plane. */
  stopAndKeepLogs(): Promise<void>;
}

/** What can be stopped and started alone; the API server too, by the control plane. */
export type NodePart = 'containerd' | 'kubelet' | 'registry';

export interface NodeParts<Name extends EmbeddedName> {
  stopPart(part: NodePart): Promise<void>;
  killPart(part: NodePart): Promise<void>;
  /** Settles when it is ready. */
  startPart(part: NodePart): Promise<void>;
  pid(part: NodePart): number;
  /** None of its services listens, including the metadata service. */
  stopCloud(cloud: Name): Promise<void>;
  /** Clears all other faults as well. */
  startCloud(cloud: Name): Promise<void>;
}

export interface NodeImages {
  /** Into the registry, at any of its names: `HOST/REPOSITORY:TAG`. */
  push(image: Image, reference: string): Promise<void>;
  /** To the images that are on the node already; with the whole name, as `docker.io/lab/agent:1`. */
  importImage(image: Image, reference: string): Promise<void>;
  /** The same from a file. */
  importArchive(file: string): Promise<void>;
}

export interface NodePods {
  getNode(): Promise<Node>;
  /** What an agent or a controller would do: addresses, providerID, and away with the taint. */
  initialise(providerId: string): Promise<void>;
  /** Settles when the image was pulled and the pod started, or when the kubelet reports that it could not pull. */
  runPod(wish: PodOptions): Promise<PodOutcome>;
  deletePod(name: string): Promise<void>;
  /** The kubelet's log lines about the credential provider's calls for an image. */
  pluginLines(image: string): Promise<readonly string[]>;
}

/** Ways to look into the node, and to do something there. */
export interface NodeAccess {
  /** Runs a program to its end, as root of the node. */
  run(file: string, args: readonly string[], options: RunOptions): Promise<RunResult>;
  /** Starts one that goes on until it is stopped, or the node is. Its output goes to NAME.log among the logs. */
  startProgram(name: string, program: PartProgram, isReady: () => Promise<boolean>): Promise<void>;
  stopProgram(name: string): Promise<void>;
  killProgram(name: string): Promise<void>;
  programPid(name: string): number;
  /** Where a file of the node is found out here. */
  path(inside: string): string;
  /** A connection to an address of the node's network. */
  tunnel(endpoint: NodeEndpoint): Promise<Socket>;
  /** Asks a plain HTTP server of the node's network. */
  get(url: string): Promise<PlainResponse>;
  /** Of a part or a program, as far as it is written: `kubelet`, `containerd`, `registry`, `docker-registry`, `init`. */
  log(name: string): Promise<string>;
}
