import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { hostArchitecture } from '../../build/architecture.ts';
import { executablePath } from '../../build/executables/executable.ts';
import { ensureDebianPackages } from '../support/debian-packages.ts';
import { projectDirectory } from '../../build/project.ts';
import { findPrograms, preparePrograms } from './control-plane/find-programs.ts';
import type { RecordedRequest } from './clouds/request-log.ts';
import type { RunResult } from './network/run-command.ts';
import { parseDemoOptions, usage } from './demo-options.ts';
import type { DemoOptions } from './demo-options.ts';
import { openDemoCluster } from './demo-cluster.ts';
import type { DemoCluster } from './demo-cluster.ts';
import { showNodes } from './demo-nodes.ts';
import { createDemoOutput } from './demo-output.ts';
import { showStory } from './demo-story.ts';
import { prepareHelm } from './helm/find-helm.ts';
import { nodePackages } from './node/support.ts';
import { openAwsFixture } from './aws-fixture.ts';
import type { AwsFixture } from './aws-fixture.ts';

/** `npm run demo`: shows polycloud with emulated parts, and ends. */
const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app';
const request = `${JSON.stringify({
  kind: 'CredentialProviderRequest',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  image,
})}\n`;
const arch = hostArchitecture();

const buildingTakes = 'Building the programs of Kubernetes takes 10 to 20 minutes on two cores, once.';

const { chapter, say, show } = createDemoOutput(print);

await main();

async function main(): Promise<void> {
  const options = readOptions();
  if (options === undefined) return;
  await buildExecutables();
  await prepareMachine(options);
  await showCredentialProvider(await openAwsFixture(['us-west-2']));
  const cluster = await openDemoCluster(print);
  if (cluster !== undefined) return showCluster(cluster);
  if (!options.whole) print(`${buildingTakes}\nTo build them and see the rest: npm run demo -- --whole`);
}

/** None: there is nothing to show. */
function readOptions(): DemoOptions | undefined {
  try {
    const options = parseDemoOptions(process.argv.slice(2));
    if (!options.help) return options;
    process.stdout.write(usage);
  } catch (error) {
    process.stderr.write(`demo: ${(error as Error).message}\nhint: npm run demo -- --help\n`);
    process.exitCode = 2;
  }
  return undefined;
}

/** Missing parts are reported later, where they are needed. */
async function prepareMachine({ whole }: DemoOptions): Promise<void> {
  await ensureDebianPackages(['iproute2', ...nodePackages], print);
  if (!whole) return;
  if (!(await findPrograms()).available) print(buildingTakes);
  await preparePrograms(print);
  await prepareHelm(print);
}

async function showCluster(cluster: DemoCluster): Promise<void> {
  try {
    if (cluster.node !== undefined) await showStory(cluster.node, { chapter, say, show });
    await showNodes(cluster, { chapter, say, show });
  } finally {
    await cluster.stop();
  }
}

async function showCredentialProvider(fixture: AwsFixture): Promise<void> {
  try {
    print(`\nThe AWS emulator runs ${fixture.description}.`);
    await showLogin(fixture);
    await showRefusal(fixture);
    await showUnknownHost(fixture);
  } finally {
    await fixture.stop();
  }
}

async function buildExecutables(): Promise<void> {
  print(`Building the executables for linux-${arch} …`);
  const child = spawn(process.execPath, [join(projectDirectory, 'build/build.ts'), '--arch', arch], {
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the executables could not be built; the reason stands above');
}

async function showLogin(fixture: AwsFixture): Promise<void> {
  chapter('The kubelet wants to pull from ECR. It writes this to the credential provider:');
  show(request);
  const result = await ask(fixture, request);
  say('The credential provider asked:');
  await showRequests(fixture);
  say(`and answered within ${Math.round(result.durationMs)} ms, exit code ${result.code} (password left out here):`);
  show(withoutPassword(result.stdout));
}

async function showRefusal(fixture: AwsFixture): Promise<void> {
  await fixture.aws.reset();
  await fixture.aws.update({ instance: { roleName: 'lab-denied' } });
  chapter("The same on a node whose role may not pull. The kubelet's log gets one line that says what to do:");
  showFailure(await ask(fixture, request));
}

async function showUnknownHost(fixture: AwsFixture): Promise<void> {
  await fixture.aws.reset();
  const lookAlike = image.replace('amazonaws.com', 'amazonaws.com.evil.example');
  chapter(`A host that only looks like ECR: ${lookAlike}`);
  const result = await ask(fixture, request.replace(image, lookAlike));
  show(result.stdout);
  say(`and ${(await fixture.aws.requests()).length} requests were made.`);
}

function ask(fixture: AwsFixture, input: string): Promise<RunResult> {
  return fixture.run(executablePath('polycloud-credential-provider', arch), { args: [], input, env: {} });
}

async function showRequests(fixture: AwsFixture): Promise<void> {
  const requests = await fixture.aws.requests();
  show(requests.map(describe).join('\n'));
}

function describe({ host, method, path, headers, status }: RecordedRequest): string {
  const target = headers['x-amz-target']?.split('.').at(-1) ?? '';
  return `${`${method} ${host}${path} ${target}`.trim()} → ${status ?? 'no answer'}`;
}

function showFailure({ stderr, code }: RunResult): void {
  show(stderr);
  say(`exit code ${code}`);
}

function withoutPassword(answer: string): string {
  return answer.replace(/"password":"[^"]*"/, '"password":"…"');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
