import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mood } from './answers.ts';
import { scriptFor } from './answers.ts';
import { generateConfiguration } from './configurations.ts';
import { generateEnvironment } from './environments.ts';
import { cloudNames } from './hosts.ts';
import { chooseImage } from './images.ts';
import type { ImageChoice } from './images.ts';
import type { Home } from './message.ts';
import type { Place } from './place.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import type { Scene } from './registry-entries.ts';
import type { Script } from './raw-servers.ts';
import type { GeneratedRequest } from './requests.ts';
import { generateRequest } from './requests.ts';

export interface GeneratedCase {
  readonly request: GeneratedRequest;
  readonly configFile?: string;
  readonly verbosity: number;
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly wallAtStartMs: number;
  readonly mayHang: boolean;
  readonly script: Script;
}

/** `function`: called as one, with time and addresses at our will; `program`: an executable is to play it as well. */
export type Player = 'function' | 'program';

/** The case that belongs to a label; its files are in their place afterwards. */
export async function prepareCase(label: string, player: Player, place: Place): Promise<GeneratedCase> {
  const random = createRandom(label);
  const path = (name: string): string => join(place.directory, name);
  const choice = chooseImage(random);
  const scene = chooseScene(random, choice, path);
  const request = generateRequest(random, choice);
  const { yaml, files: configured } = generateConfiguration(random, scene);
  const environment = generateEnvironment(random, {
    ...place,
    ...scene,
    urls: place.servers.urls,
    proxyUrl: place.gate.url,
    owner: choice.owner,
    onlyLoopback: player === 'program',
  });
  const mood = chooseMood(random, player);
  const text = yaml ?? (player === 'program' ? '{}\n' : undefined);
  const files = { ...configured, ...environment.files, ...(text !== undefined && { 'config.yaml': text }) };
  await Promise.all(Object.entries(files).map(([name, content]) => writeFile(path(name), content)));
  return {
    request,
    files,
    ...(text !== undefined && { configFile: path(random.chance(0.98) ? 'config.yaml' : longPath(random, path)) }),
    verbosity: random.chance(0.3) ? 1 : 0,
    env: { HOME: place.directory, ...environment.env },
    wallAtStartMs: player === 'program' ? Date.now() : Date.now() + random.weigh(clockErrorsMs),
    mayHang: mood.mayHang,
    script: scriptFor(label, mood, scene.home),
  };
}

/** Mostly a machine of the registry's own cloud. */
function chooseScene(random: Random, { image, owner }: ImageChoice, path: Scene['path']): Scene {
  const cloud = cloudNames.find((name) => name === owner) ?? random.pick(cloudNames);
  const home = random.weigh<Home>([
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
function chooseMood(random: Random, player: Player): Mood {
  const calm: Mood = { oddity: 0, oddAnswersMost: 0, mayHang: false, mayAskToWait: true };
  const moods: readonly (readonly [weight: number, mood: Mood])[] = [
    [5, calm],
    [5, { ...calm, oddity: 0.3, oddAnswersMost: 100 }],
    [3, { ...calm, oddity: 0.8, oddAnswersMost: 2 }],
    [2, { ...calm, oddity: 1, oddAnswersMost: 100 }],
    [1, { ...calm, oddity: 0.5, oddAnswersMost: 100, mayHang: true }],
  ];
  const mood = random.weigh(moods);
  if (player === 'function') return mood;
  const mayAskToWait = random.chance(0.1);
  return { ...mood, oddAnswersMost: Math.min(1, mood.oddAnswersMost), mayHang: false, mayAskToWait };
}

function longPath(random: Random, path: (name: string) => string): string {
  return path(`${'folder/'.repeat(random.between(1, 200))}absent.yaml`);
}
