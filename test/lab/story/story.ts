import { once } from 'node:events';
import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import { logLines } from '../../../schemas/log.ts';
import { collectOutput } from '../../support/collect-output.ts';
import { labUserKey } from '../clouds/aws/state.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import { helm, trustOfNode } from '../helm/release.ts';
import { sleepingImage } from '../node/image/busybox-image.ts';
import { uninitialized } from '../node/initialise.ts';
import type { LabNode } from '../node/lab-node.ts';
import type { PodOutcome } from '../node/pods.ts';
import { restartKubelet } from './empty-node.ts';

/** One step from an empty node to a deleted Node. */
export interface StoryStep {
  readonly title: string;
  /** Does it, and waits until it has happened. Returns the lines of logs that tell it. */
  run(): Promise<readonly string[]>;
}

export interface Story {
  /** In this order. */
  readonly steps: readonly StoryStep[];
  stop(): Promise<void>;
}

const within = { withinMs: 90_000, everyMs: 50 };
const registry = '123456789012.dkr.ecr.us-west-2.amazonaws.com';
const [first, second] = ['orders', 'invoices'];
const noticePath = 'meta-data/spot/instance-action';
const values = {
  clouds: ['aws'],
  // It runs on the control plane, which is no node here.
  ccm: { enabled: false },
  agent: { ...trustOfNode, install: { mode: 'install' }, broker: { enabled: true } },
};

export const storyImages = ['polycloud-node-agent', 'polycloud-credential-provider'];

/** The whole of polycloud on one empty node at AWS. `images` are the archives of `storyImages`. */
export async function openStory(node: LabNode<'aws'>, images: readonly string[]): Promise<Story> {
  for (const file of images) await node.importArchive(file);
  for (const name of [first, second]) await node.push(sleepingImage(name), imageOf(name));
  const controller = startController(node);
  return {
    steps: [
      { title: 'an empty node cannot pull a private image', run: () => failToPull(node) },
      { title: '`helm install` puts the credential provider on the host', run: () => installChart(node) },
      { title: 'the kubelet is restarted, as that log asks for', run: () => readNewFlags(node) },
      { title: 'the agent initialises the Node', run: () => awaitInitialized(node) },
      { title: 'the kubelet pulls the private image', run: () => pullFirst(node) },
      { title: 'the broker has the login for the next image', run: () => pullSecond(node) },
      { title: 'AWS announces the end of the instance, and the agent drains the Node', run: () => drain(node) },
      { title: 'the instance ends, and the controller deletes the Node', run: () => end(node, controller.output) },
    ],
    stop: controller.stop,
  };
}

function imageOf(name: string): string {
  return `${registry}/team/${name}:1`;
}

interface StoryController {
  output(): string;
  stop(): Promise<void>;
}

/** It leaves a new Node to the agent, however busy this machine is. */
function startController({ namespace, plane }: LabNode<'aws'>): StoryController {
  const flags = ['--cloud-provider=aws', '--agent-head-start=10m', '--node-monitor-period=1s', '--secure-port=0'];
  const child = namespace.start(
    executablePath('polycloud-ccm', hostArchitecture()),
    [...flags, '--kubeconfig', plane.adminKubeconfig],
    {
      AWS_REGION: 'us-west-2',
      AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
    },
  );
  const closed = once(child, 'close');
  return {
    output: collectOutput(child),
    stop: async () => {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

async function failToPull(node: LabNode<'aws'>): Promise<readonly string[]> {
  await waitUntil(
    { what: 'the service account default', ...within },
    async () =>
      (await node.plane.ask('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200 || undefined,
  );
  const outcome = await node.runPod({ name: first, image: imageOf(first), tolerant: true });
  if (outcome.pulled) throw new Error('the image was pulled without a login');
  await node.deletePod(first);
  return [outcome.message];
}

async function installChart(node: LabNode<'aws'>): Promise<readonly string[]> {
  await helm(['install'], node.plane, values);
  const log = await untilLogged(node, 'install', /^restart .*$/m);
  return log.trim().split('\n');
}

async function readNewFlags(node: LabNode<'aws'>): Promise<readonly string[]> {
  return [(await restartKubelet(node)).trim()];
}

async function awaitInitialized(node: LabNode<'aws'>): Promise<readonly string[]> {
  await waitUntil({ what: 'the Node is initialised', ...within }, async () => {
    const { spec } = await node.getNode();
    return (spec.taints ?? []).every(({ key }) => key !== uninitialized) || undefined;
  });
  return logged(node, [logLines.nodeInitialized.message]);
}

async function pullFirst(node: LabNode<'aws'>): Promise<readonly string[]> {
  await untilBrokerListens(node);
  const lines = pullLines(await node.runPod({ name: first, image: imageOf(first) }));
  return [...lines, `requests for a login at ECR: ${String(await countLogins(node))}`];
}

/** Until then the full program would answer, which has its own login. */
function untilBrokerListens(node: LabNode<'aws'>): Promise<unknown> {
  return waitUntil({ what: 'the agent is ready', ...within }, async () => {
    const { conditions = [] } = (await readAgentPod(node))?.status ?? {};
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True') || undefined;
  });
}

async function countRestarts(node: LabNode<'aws'>): Promise<number | undefined> {
  return (await readAgentPod(node))?.status.containerStatuses?.[0]?.restartCount;
}

async function readAgentPod({ plane }: LabNode<'aws'>): Promise<AgentPod | undefined> {
  const path = '/api/v1/namespaces/kube-system/pods?labelSelector=app.kubernetes.io/component%3Dnode-agent';
  return ((await plane.ask('GET', path)).body as { readonly items: readonly AgentPod[] }).items[0];
}

interface AgentPod {
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses?: readonly { readonly restartCount: number }[];
  };
}

/** The kubelet has a cache of its own, so the credential provider is also started as the kubelet would start it. */
async function pullSecond(node: LabNode<'aws'>): Promise<readonly string[]> {
  const before = await countLogins(node);
  const lines = pullLines(await node.runPod({ name: second, image: imageOf(second) }));
  const { code, stdout, stderr, durationMs } = await node.run(provider, [], {
    env: {},
    input: request,
    timeoutMs: 60_000,
  });
  if (code !== 0 || !stdout.includes('"password"')) throw new Error(`the credential provider failed: ${stderr}`);
  const more = (await countLogins(node)) - before;
  if (more > 0) throw new Error(`${String(more)} more requests for a login: the broker did not answer`);
  const answer = `the credential provider answers in ${String(Math.round(durationMs))} ms`;
  return [...lines, `${answer}; more requests for a login at ECR: 0`];
}

const provider = '/usr/lib/polycloud/credential-provider/polycloud-credential-provider';
const request = JSON.stringify({
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  kind: 'CredentialProviderRequest',
  image: imageOf(second),
});

async function countLogins({ clouds }: LabNode<'aws'>): Promise<number> {
  return (await clouds.aws.requests()).filter(({ service }) => service === 'ecr').length;
}

function pullLines(outcome: PodOutcome): readonly string[] {
  if (!outcome.pulled) throw new Error(`the image was not pulled: ${outcome.message}`);
  return outcome.events.filter(({ reason }) => reason === 'Pulled').map(({ message }) => message);
}

async function drain(node: LabNode<'aws'>): Promise<readonly string[]> {
  const restarts = await countRestarts(node);
  const time = new Date(Date.now() + 120_000).toISOString().replace(/\.\d+Z$/, 'Z');
  await node.clouds.aws.update({ metadata: { [noticePath]: JSON.stringify({ action: 'terminate', time }) } });
  const { noticeAnnounced, nodeMarked, podsAsked, drainFinished } = logLines;
  await untilLogged(node, 'node-agent', new RegExp(drainFinished.message));
  // The log of an agent that was restarted would begin anew.
  if ((await countRestarts(node)) !== restarts) throw new Error('the agent was restarted while it drained the Node');
  return logged(node, [noticeAnnounced.message, nodeMarked.message, podsAsked.message, drainFinished.message]);
}

/** The kubelet ends with its machine. The control plane reports the Node as unknown 50 s later; here it does so at once. */
async function end(node: LabNode<'aws'>, controllerOutput: () => string): Promise<readonly string[]> {
  const { aws } = node.clouds;
  const { instance, ec2Instances } = await aws.state();
  const ended = ec2Instances[instance.instanceId];
  if (ended === undefined) throw new Error('EC2 does not know the instance');
  await node.killPart('kubelet');
  const terminated = { ...ended, state: 'terminated' as const, terminatedAtMs: Date.now() };
  await aws.update({ ec2Instances: { [instance.instanceId]: terminated } });
  const at = new Date().toISOString();
  const unknown = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting' };
  const conditions = [{ ...unknown, lastHeartbeatTime: at, lastTransitionTime: at }];
  await node.plane.ask('PATCH', `/api/v1/nodes/${node.name}/status`, { status: { conditions } });
  await waitUntil({ what: `Node ${node.name} is deleted`, ...within }, async () =>
    (await node.plane.ask('GET', `/api/v1/nodes/${node.name}`)).status === 404 ? true : undefined,
  );
  const deleted = logLines.nodeDeleted.message;
  // The controller logs it when the API server has answered.
  await waitUntil({ what: `the log line ${deleted}`, ...within }, () =>
    Promise.resolve(controllerOutput().includes(deleted) || undefined),
  );
  return linesWith(controllerOutput(), [logLines.instanceReported.message, deleted]);
}

/** The lines of the agent with these messages, as soon as all of them are there. */
async function logged(node: LabNode<'aws'>, messages: readonly string[]): Promise<readonly string[]> {
  const [last = ''] = messages.slice(-1);
  return linesWith(await untilLogged(node, 'node-agent', new RegExp(last)), messages);
}

function linesWith(log: string, messages: readonly string[]): readonly string[] {
  const lines = log.split('\n');
  return messages.map((message) => {
    const found = lines.find((line) => line.includes(message));
    if (found === undefined) throw new Error(`no log line with: ${message}\n${log}`);
    return found;
  });
}

/** The log of a container of the agent's pod, once it has this. A kubelet that restarts cannot give it. */
function untilLogged({ plane }: LabNode<'aws'>, container: string, pattern: RegExp): Promise<string> {
  const args = ['logs', '--namespace=kube-system', 'daemonset/polycloud-node-agent', `--container=${container}`];
  let seen = '';
  const what = `${String(pattern)} in the log of ${container}`;
  const found = waitUntil({ what, ...within, everyMs: 250 }, async () => {
    seen = await plane.kubectl(args).catch((error: unknown) => (error as Error).message);
    return pattern.test(seen) ? seen : undefined;
  });
  return found.catch((cause: unknown) => {
    throw new Error(`${(cause as Error).message}; it has: ${seen}`, { cause });
  });
}
