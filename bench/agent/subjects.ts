import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostArchitecture } from '../../build/architecture.ts';
import { executablePath } from '../../build/executables/executable.ts';
import { agentKubeconfig } from '../../test/system/api-server/node-agent/permissions.ts';
import type { BenchSubject } from '../harness/replica.ts';
import { preparePeer } from '../peers/prepare-peer.ts';
import type { AgentFixture } from './fixture.ts';

export type AgentSubjectName = 'polycloud-node-agent' | 'termination handler';

/** A program that reacts when its instance is about to go. */
export interface AgentSubject extends BenchSubject {
  readonly name: AgentSubjectName;
  /** Of the Node that it manages. */
  readonly nodeName: string;
  /** What its User-Agent at the API server begins with. */
  readonly userAgent: string;
  /** How often it reads whether there is a notice. */
  readonly pollMs: number;
  readonly endSignal: 'SIGTERM' | 'SIGKILL';
}

export interface AgentSubjects {
  readonly ours: AgentSubject;
  readonly peer: AgentSubject;
}

export async function createAgentSubjects(fixture: AgentFixture, log: (line: string) => void): Promise<AgentSubjects> {
  return { ours: await ownAgent(fixture), peer: await terminationHandler(fixture, log) };
}

/** As the chart runs it, without the broker. */
export async function ownAgent({ plane, aws, directory }: AgentFixture): Promise<AgentSubject> {
  const nodeName = 'ours';
  const kubeconfig = await agentKubeconfig(plane);
  const flags = ['--cloud=aws', `--kubeconfig=${kubeconfig}`, '--broker-socket=none', '--secure-port=0'];
  return {
    name: 'polycloud-node-agent',
    nodeName,
    file: executablePath('polycloud-node-agent', hostArchitecture()),
    userAgent: 'polycloud-node-agent/',
    env: { NODE_NAME: nodeName, AWS_EC2_METADATA_SERVICE_ENDPOINT: aws.url('imds') },
    pollMs: 1_000,
    endSignal: 'SIGTERM',
    args: () => Promise.resolve([...flags, `--status-socket=${join(directory, 'agent.sock')}`]),
  };
}

const accountDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';
/** It only knows the service account of its pod, so it gets a /run of its own with the files of one. */
const inMountNamespace = 'mount -t tmpfs tmpfs /run && mkdir -p "$2" && cp "$1"/* "$2" && shift 2 && exec "$@"';

/** With its default flags. It has none for the rate of its requests, which is that of client-go: 5 a second, 10 at once. */
async function terminationHandler(fixture: AgentFixture, log: (line: string) => void): Promise<AgentSubject> {
  const { plane, aws, directory } = fixture;
  const name = 'aws-node-termination-handler';
  const program = await preparePeer(name, log);
  const account = join(directory, 'account');
  await mkdir(account);
  await writeFile(join(account, 'ca.crt'), plane.certificateAuthority.pem);
  await writeFile(join(account, 'token'), await administratorToken(fixture, name));
  const nodeName = 'peer';
  const { hostname, port } = new URL(plane.url);
  return {
    name: 'termination handler',
    nodeName,
    file: '/usr/bin/unshare',
    userAgent: `${name}/`,
    env: {
      NODE_NAME: nodeName,
      POD_NAME: name,
      NAMESPACE: 'kube-system',
      INSTANCE_METADATA_URL: aws.url('imds'),
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
    },
    pollMs: 2_000,
    // SIGTERM does not end it.
    endSignal: 'SIGKILL',
    args: () =>
      Promise.resolve(['--mount', '/bin/sh', '-c', inMountNamespace, 'sh', account, accountDirectory, program]),
  };
}

const tokenLifetimeS = 3_600;

async function administratorToken({ plane }: AgentFixture, name: string): Promise<string> {
  const account = { namespace: 'kube-system', name };
  const responses = [
    await plane.ask('POST', '/api/v1/namespaces/kube-system/serviceaccounts', { metadata: account }),
    await plane.ask('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    }),
  ];
  const failed = responses.find(({ status }) => status !== 201);
  if (failed !== undefined) throw new Error(`no service account ${name}: ${JSON.stringify(failed.body)}`);
  return plane.tokenFor(account, { audiences: [], expirationSeconds: tokenLifetimeS });
}
