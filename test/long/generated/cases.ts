import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerBehavior } from './responses.ts';
import { scriptFor } from './responses.ts';
import { generateConfiguration } from './configurations.ts';
import { generateEnvironment } from './environments.ts';
import { cloudNames } from './hosts.ts';
import { chooseImage } from './images.ts';
import type { ImageChoice } from './images.ts';
import type { HomeCloud } from './message.ts';
import type { CaseFixture } from './fixture.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import type { CaseTarget } from './registry-entries.ts';
import type { GeneratedCase } from './generated-case.ts';
import { generateRequest } from './requests.ts';

/** `function`: called as one, with time and addresses at our will; `program`: an executable is to play it as well. */
export type CaseRunner = 'function' | 'program';

/** The case that belongs to a label; its files are in their place afterwards. */
export async function prepareCase(label: string, runner: CaseRunner, fixture: CaseFixture): Promise<GeneratedCase> {
  const random = createRandom(label);
  const path = (name: string): string => join(fixture.directory, name);
  const choice = chooseImage(random);
  const target = chooseTarget(random, choice, path);
  const request = generateRequest(random, choice);
  const { yaml, files: configured } = generateConfiguration(random, target);
  const environment = generateEnvironment(random, {
    ...fixture,
    ...target,
    urls: fixture.servers.urls,
    proxyUrl: fixture.proxy.url,
    owner: choice.owner,
    onlyLoopback: runner === 'program',
  });
  const behavior = chooseBehavior(random, runner);
  const text = yaml ?? (runner === 'program' ? '{}\n' : undefined);
  const files = { ...configured, ...environment.files, ...(text !== undefined && { 'config.yaml': text }) };
  await Promise.all(Object.entries(files).map(([name, content]) => writeFile(path(name), content)));
  return {
    request,
    files,
    ...(text !== undefined && { configFile: path(random.chance(0.98) ? 'config.yaml' : longPath(random, path)) }),
    verbosity: random.chance(0.3) ? 1 : 0,
    env: { HOME: fixture.directory, ...environment.env },
    wallAtStartMs: runner === 'program' ? Date.now() : Date.now() + random.pickWeighted(clockErrorsMs),
    mayHang: behavior.mayHang,
    script: scriptFor(label, behavior, target.home),
  };
}

/** Mostly a machine of the registry's own cloud. */
function chooseTarget(random: Random, { image, owner }: ImageChoice, path: CaseTarget['path']): CaseTarget {
  const cloud = cloudNames.find((name) => name === owner) ?? random.pick(cloudNames);
  const home = random.pickWeighted<HomeCloud>([
    [14, cloud],
    [9, random.pick(cloudNames)],
    [1, 'nowhere'],
  ]);
  return { registry: image.split('/')[0] ?? '', cloud, home, isAtHome: home === cloud, path };
}

const msPerDay = 24 * 60 * 60 * 1_000;
const clockErrorsMs: readonly (readonly [weight: number, errorMs: number])[] = [
  [16, 0],
  [1, -10 * 365 * msPerDay],
  [1, 10 * 365 * msPerDay],
  [1, -20 * 60 * 1_000],
  [1, msPerDay],
];

/** An executable really waits before it asks again, so it is spared most of that. */
function chooseBehavior(random: Random, runner: CaseRunner): ServerBehavior {
  const calm: ServerBehavior = { oddShare: 0, oddResponsesMax: 0, mayHang: false, mayAskToWait: true };
  const behaviors: readonly (readonly [weight: number, mood: ServerBehavior])[] = [
    [5, calm],
    [5, { ...calm, oddShare: 0.3, oddResponsesMax: 100 }],
    [3, { ...calm, oddShare: 0.8, oddResponsesMax: 2 }],
    [2, { ...calm, oddShare: 1, oddResponsesMax: 100 }],
    [1, { ...calm, oddShare: 0.5, oddResponsesMax: 100, mayHang: true }],
  ];
  const behavior = random.pickWeighted(behaviors);
  if (runner === 'function') return behavior;
  const mayAskToWait = random.chance(0.1);
  return { ...behavior, oddResponsesMax: Math.min(1, behavior.oddResponsesMax), mayHang: false, mayAskToWait };
}

function longPath(random: Random, path: (name: string) => string): string {
  return path(`${'folder/'.repeat(random.between(1, 200))}absent.yaml`);
}
