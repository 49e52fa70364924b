import type { RecordedRequest } from '../../../test/lab/clouds/request-log.ts';
import type { EmbeddedName } from '../../../test/lab/clouds/embedded.ts';
import type { BenchInstance } from '../../harness/node-drafts.ts';
import type { PeerName } from '../../peers/peers.ts';

/** What differs between clouds for this bench. The cloud itself is the emulated one of the lab. */
export interface BenchCloud {
  readonly name: EmbeddedName;
  /** The environment of our controller. */
  readonly env: Readonly<Record<string, string>>;
  /** The vendor's own controller. Absent: ours is measured alone. */
  readonly peer?: BenchPeer;
  readonly limits: BenchLimits;
  /** Takes the place of all instances that were there. `number` makes ids and addresses that were not used before. */
  launchFleet(count: number, number: number): Promise<readonly BenchInstance[]>;
  /** Every response of the API takes this long from now on, until there is another fleet. */
  setLatency(delayMs: number): Promise<void>;
  requests(): Promise<readonly RecordedRequest[]>;
  /** What a request asks for; `undefined`: it is none to the cloud's API, but to a metadata service. */
  operationOf(request: RecordedRequest): string | undefined;
  stop(): Promise<void>;
}

export interface BenchPeer {
  readonly program: PeerName;
  readonly env: Readonly<Record<string, string>>;
  /** The content of its `--cloud-config`. */
  readonly cloudConfig: string;
}

/** For 1,000 new Nodes: seconds, requests, and ratios to the peer's. */
export interface BenchLimits {
  readonly initialisedS?: number;
  /** Absent: the cloud's lists have small pages. */
  readonly cloudCalls?: number;
  readonly ofDefaultPeer?: number;
  readonly ofTunedPeer?: number;
  readonly processorOfTunedPeer?: number;
}

/** Runs an emulated cloud for the bench. The directory is for its files. */
export type StartBenchCloud = (directory: string) => Promise<BenchCloud>;
