import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { hostArchitecture } from '../../build/architecture.ts';
import { executablePath } from '../../build/executable.ts';
import { ensureDebianPackages } from '../../build/debian-packages.ts';
import { projectDirectory } from '../../build/project.ts';
import { findPrograms, preparePrograms } from './control-plane/find-programs.ts';
import type { RecordedRequest } from './clouds/request-log.ts';
import type { RunResult } from './network/run-command.ts';
import { parseDemoOptions, usage } from './demo-options.ts';
import type { DemoOptions } from './demo-options.ts';
import { openGround } from './demo-ground.ts';
import type { Ground } from './demo-ground.ts';
import { showMachine } from './demo-machine.ts';
import { showNodes } from './demo-nodes.ts';
import { createTeller } from './demo-teller.ts';
import { nodePackages } from './node/support.ts';
import { openStage } from './stage.ts';
import type { Stage } from './stage.ts';

/** `npm run demo`: what polycloud does, on embedded parts. Ends by itself. */
const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app';
const request = `${JSON.stringify({
  kind: 'CredentialProviderRequest',
  apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
  image,
})}\n`;
const arch = hostArchitecture();

const buildingTakes = 'Building the programs of Kubernetes takes 10 to 20 minutes on two cores, once.';

const { chapter, say, show } = createTeller(print);

await main();

async function main(): Promise<void> {
  const options = readOptions();
  if (options === undefined) return;
  await buildExecutables();
  await prepareMachine(options);
  await tellOfPlugin(await openStage(['us-west-2']));
  const cluster = await openGround(print);
  if (cluster !== undefined) return tellOfCluster(cluster);
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

/** What cannot be had is said later, where it is missed. */
async function prepareMachine({ whole }: DemoOptions): Promise<void> {
  await ensureDebianPackages(['iproute2', ...nodePackages], print);
  if (!whole) return;
  if (!(await findPrograms()).available) print(buildingTakes);
  await preparePrograms(print);
}

async function tellOfCluster(ground: Ground): Promise<void> {
  try {
    if (ground.node !== undefined) await showMachine(ground.node, { chapter, say, show });
    await showNodes(ground, { chapter, say, show });
  } finally {
    await ground.stop();
  }
}

async function tellOfPlugin(stage: Stage): Promise<void> {
  try {
    print(`\nThe embedded AWS runs ${stage.setting}.`);
    await showLogin(stage);
    await showRefusal(stage);
    await showStranger(stage);
  } finally {
    await stage.stop();
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

async function showLogin(stage: Stage): Promise<void> {
  chapter('The kubelet wants to pull from ECR. It writes this to the standard input of the plugin:');
  show(request);
  const result = await ask(stage, request);
  say('The plugin asked:');
  await showRequests(stage);
  say(`and answered within ${Math.round(result.durationMs)} ms, exit code ${result.code} (password left out here):`);
  show(withoutPassword(result.stdout));
}

async function showRefusal(stage: Stage): Promise<void> {
  await stage.aws.reset();
  await stage.aws.update({ instance: { roleName: 'lab-denied' } });
  chapter("The same on a node whose role may not pull. The kubelet's log gets one line that says what to do:");
  showFailure(await ask(stage, request));
}

async function showStranger(stage: Stage): Promise<void> {
  await stage.aws.reset();
  const lookAlike = image.replace('amazonaws.com', 'amazonaws.com.evil.example');
  chapter(`A host that only looks like ECR: ${lookAlike}`);
  const result = await ask(stage, request.replace(image, lookAlike));
  show(result.stdout);
  say(`and ${(await stage.aws.requests()).length} requests were made.`);
}

function ask(stage: Stage, input: string): Promise<RunResult> {
  return stage.run(executablePath('polycloud-credential-provider', arch), { args: [], input, env: {} });
}

async function showRequests(stage: Stage): Promise<void> {
  const requests = await stage.aws.requests();
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
