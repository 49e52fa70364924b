import { resolve } from 'node:path';
import { bareNode } from './credential-provider/subjects.ts';
import { openProviderFixture } from './credential-provider/fixture.ts';
import type { ProviderFixture } from './credential-provider/fixture.ts';
import {
  acr,
  artifactRegistry,
  artifactRegistryPod,
  ecrPeer,
  environments,
  overHttp,
  overHttps,
} from './credential-provider/environments.ts';
import type { BenchCloudName } from './credential-provider/environments.ts';
import { formatSample, formatWaits, nameIn, valueOf } from './credential-provider/sample.ts';
import type { ProviderSample, SampleSetting } from './credential-provider/sample.ts';
import { evaluateGates } from './harness/gate.ts';
import type { Gate } from './harness/gate.ts';
import type { RunnableBench } from './harness/runnable.ts';

interface Section {
  readonly gates: readonly Gate[];
  run(cloud: BenchCloudName, field: ProviderFixture, effort: SectionOptions): Promise<readonly ProviderSample[]>;
}

interface SectionOptions {
  readonly rounds: number;
}

const defaultRounds = 50;
const farMs = [2, 10, 50];
const tenMs = 'aws, 10 ms';
const largestKb = 20 * 1024;

/** In this order; each can be run alone. */
const sections: Readonly<Record<string, Section>> = {
  trips: {
    gates: [
      { variant: overHttps, metric: 'roundTrips', atMost: 3 },
      { variant: acr, metric: 'roundTrips', atMost: 4 },
    ],
    run: async (_cloud, fixture) => [{ setting: 'trips', trips: await fixture.countTrips() }],
  },
  near: {
    gates: [
      ...memoryAndTimeGates('aws', overHttp, 3),
      ...memoryAndTimeGates('aws', overHttps, 3),
      ...memoryAndTimeGates('azure', acr, 3.2),
      ...memoryAndTimeGates('gcp', artifactRegistry, 3.2),
      ...memoryAndTimeGates('gcp', artifactRegistryPod, 3.2),
    ],
    run: async (cloud, fixture, { rounds }) => [await measureAt(cloud, 0, fixture, rounds)],
  },
  far: {
    gates: [{ variant: nameIn(tenMs, overHttps), metric: 'wallMs', dividedBy: nameIn(tenMs, ecrPeer), atMost: 1.65 }],
    run: async (cloud, fixture, { rounds }) => {
      const samples: ProviderSample[] = [];
      for (const roundTripMs of farMs) samples.push(await measureAt(cloud, roundTripMs, fixture, rounds));
      return samples;
    },
  },
  cold: {
    gates: [],
    run: async (cloud, fixture, { rounds }) => {
      const measured = await fixture.measureCold(Math.ceil(rounds / coldShare));
      return [{ setting: `${cloud}, cold file`, measured }];
    },
  },
};

/** Each start from the disk takes several times as long, and shows less. */
const coldShare = 5;

/** The credential provider without any cache, and the vendors' providers, on a node of each cloud. */
export const credentialProvider: RunnableBench = {
  options: ['only', 'clouds', 'rounds', 'beside'],
  run: async (options, log) => {
    const chosen = choose(sections, options['only']);
    const clouds = choose(environments, options['clouds']).map(([name]) => name as BenchCloudName);
    const rounds = roundsOf(options['rounds']);
    const beside = options['beside'] === undefined ? undefined : resolve(options['beside']);
    const samples: ProviderSample[] = [];
    for (const cloud of clouds) {
      const fixture = await openProviderFixture(cloud, beside, log);
      try {
        for (const [name, section] of chosen) {
          log(`${cloud}: ${name}`);
          samples.push(...(await section.run(cloud, fixture, { rounds })));
        }
      } finally {
        await fixture.stop();
      }
    }
    // A part of the clouds is for trying something out.
    const gates =
      clouds.length < Object.keys(environments).length ? [] : chosen.flatMap(([, section]) => section.gates);
    const gateResults = evaluateGates(gates, (variant, metric) => valueOf(samples, variant, metric));
    const table = `${samples.map(formatSample).join('\n')}\n${formatWaits(samples)}`;
    return { table, gateResults, json: { rounds, samples } };
  },
};

async function measureAt(
  cloud: BenchCloudName,
  roundTripMs: number,
  fixture: ProviderFixture,
  wall: number,
): Promise<ProviderSample> {
  const atOutput = roundTripMs === 0 ? Math.ceil(wall / coldShare) : 1;
  const measured = await fixture.measureAt(roundTripMs, { warmUp: 2, wall, atOutput });
  return { setting: `${cloud}, ${roundTripMs} ms`, measured };
}

/** Of the time that bare node takes, and of anonymous memory. */
function memoryAndTimeGates(cloud: BenchCloudName, name: string, atMost: number): readonly Gate[] {
  const setting: SampleSetting = `${cloud}, 0 ms`;
  const variant = nameIn(setting, name);
  return [
    { variant, metric: 'wallMs', dividedBy: nameIn(setting, bareNode), atMost },
    { variant, metric: 'rssAnonKb', atMost: largestKb },
  ];
}

function choose<T>(known: Readonly<Record<string, T>>, names: string | undefined): readonly (readonly [string, T])[] {
  return (names?.split(',') ?? Object.keys(known)).map((name) => {
    const found = Object.hasOwn(known, name) ? known[name] : undefined;
    if (found === undefined) throw new Error(`there is ${Object.keys(known).join(', ')}, and not ${name}`);
    return [name, found] as const;
  });
}

function roundsOf(text: string | undefined): number {
  const rounds = text === undefined ? defaultRounds : Number(text);
  if (Number.isInteger(rounds) && rounds >= 1) return rounds;
  throw new Error('--rounds takes a whole number from 1 on');
}
