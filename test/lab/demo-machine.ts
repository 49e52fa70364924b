import { hostArchitecture } from '../../build/architecture.ts';
import { executablePath } from '../../build/executables/executable.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { DemoOutput } from './demo-output.ts';
import type { LabNode } from './node/lab-node.ts';
import { sleepingImage } from './node/image/busybox-image.ts';
import type { PodOutcome } from './node/pods.ts';
import { uninitialized } from './node/initialise.ts';

const registry = '123456789012.dkr.ecr.us-west-2.amazonaws.com';
const [first, second] = ['orders', 'invoices'];
const agent = executablePath('polycloud-node-agent', hostArchitecture());

interface DemoContext extends DemoOutput {
  readonly node: LabNode<'aws'>;
}

/** A real kubelet's machine: from its boot to a pod whose image is private. */
export async function showMachine(node: LabNode<'aws'>, output: DemoOutput): Promise<void> {
  const context = { node, ...output };
  for (const name of [first, second]) await node.push(sleepingImage(name), imageOf(name));
  const { outcome } = await showBoot(context);
  await showAgent(context);
  await showPull(context, outcome);
}

function imageOf(name: string): string {
  return `${registry}/team/${name}:1`;
}

/** What becomes of the pod that waits there. */
interface PendingPod {
  readonly outcome: Promise<PodOutcome>;
}

async function showBoot({ node, chapter, say, show }: DemoContext): Promise<PendingPod> {
  chapter(
    `A machine at AWS boots: kubelet, containerd, our credential provider beside them. Registered after ${secondsOf(node.bootMs)}:`,
  );
  show(describe(await node.getNode()));
  await waitUntil(
    { what: 'the service account default', withinMs, everyMs },
    async () =>
      (await node.plane.ask('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200 || undefined,
  );
  const outcome = node.runPod({ name: first, image: imageOf(first) });
  // The code that waits for it later sees its failure.
  outcome.catch(() => undefined);
  const why = await waitUntil({ what: `pod ${first} waits`, withinMs, everyMs }, async () => whyPending(node, first));
  say(`Pod ${first} has to wait: ${why}`);
  return { outcome };
}

const withinMs = 40_000;
const everyMs = 20;

async function whyPending(node: LabNode<'aws'>, pod: string): Promise<string | undefined> {
  const { body } = await node.plane.ask('GET', `/api/v1/namespaces/default/pods/${pod}`);
  const { status } = body as { readonly status?: { readonly conditions?: readonly { readonly message?: string }[] } };
  return status?.conditions?.find(({ message }) => message !== undefined)?.message;
}

async function showAgent({ node, chapter, show }: DemoContext): Promise<void> {
  const args = ['--kubeconfig', node.plane.adminKubeconfig, '--node-name', node.name, '--secure-port', '0'];
  const startedMs = performance.now();
  await node.startProgram('agent', { file: agent, args }, () => Promise.resolve(true));
  const initialised = await waitUntil({ what: 'the Node is initialised', withinMs, everyMs }, async () => {
    const now = await node.getNode();
    return isTainted(now) ? undefined : now;
  });
  chapter(
    `The agent is started there, with no credentials of the cloud. The Node after ${millisecondsSince(startedMs)}:`,
  );
  show(describe(initialised));
}

async function showPull({ node, chapter, say, show }: DemoContext, waiting: Promise<PodOutcome>): Promise<void> {
  const startedMs = performance.now();
  chapter(`So the pod may run. Its image is private, ${imageOf(first)}, and there is no pull secret anywhere:`);
  showOutcome(await waiting, show);
  say(`after ${millisecondsSince(startedMs)}; ECR was asked for a login ${await countLoginRequests(node)} time(s).`);
  say(`Another one of the same registry, ${second}:`);
  showOutcome(await node.runPod({ name: second, image: imageOf(second) }), show);
  say(`ECR was asked for a login ${await countLoginRequests(node)} time(s) in all.`);
}

async function countLoginRequests({ clouds }: LabNode<'aws'>): Promise<number> {
  return (await clouds.aws.requests()).filter(({ service }) => service === 'ecr').length;
}

function showOutcome(outcome: PodOutcome, show: DemoOutput['show']): void {
  if (!outcome.pulled) throw new Error(`the image was not pulled: ${outcome.message}`);
  const messages = outcome.events.filter(({ reason }) => reason === 'Pulled').map(({ message }) => message);
  show(messages.length > 0 ? messages.join('\n') : 'pulled, and it runs');
}

function describe(node: Node): string {
  const { metadata, spec, status } = node;
  const addresses = (status.addresses ?? []).map(({ type, address }) => `${type} ${address}`);
  return [
    `${metadata.name}${isTainted(node) ? `  taint ${uninitialized}` : ''}`,
    `providerID ${spec.providerID ?? 'none'}  zone ${metadata.labels?.['topology.kubernetes.io/zone'] ?? 'none'}`,
    addresses.join(', '),
  ].join('\n');
}

function isTainted({ spec }: Node): boolean {
  return (spec.taints ?? []).some(({ key }) => key === uninitialized);
}

function millisecondsSince(startedMs: number): string {
  return `${String(Math.round(performance.now() - startedMs))} ms`;
}

function secondsOf(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
