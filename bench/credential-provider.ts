import { resolve } from 'node:path';
import { bareNode } from './credential-provider/contenders.ts';
import { openField } from './credential-provider/field.ts';
import type { Field } from './credential-provider/field.ts';
import {
  acr,
  artifactRegistry,
  artifactRegistryPod,
  ecrPeer,
  grounds,
  overHttp,
  overHttps,
} from './credential-provider/grounds.ts';
import type { CloudName } from './credential-provider/grounds.ts';
import { formatSample, formatWaits, nameIn, valueOf } from './credential-provider/sample.ts';
import type { Sample, Setting } from './credential-provider/sample.ts';
import { judge } from './harness/gate.ts';
import type { Gate } from './harness/gate.ts';
import type { RunnableBench } from './harness/runnable.ts';

interface Section {
  readonly gates: readonly Gate[];
  run(cloud: CloudName, field: Field, effort: Effort): Promise<readonly Sample[]>;
}

interface Effort {
  readonly rounds: number;
}

const usualRounds = 50;
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
    run: async (_cloud, field) => [{ setting: 'trips', trips: await field.countTrips() }],
  },
  near: {
    gates: [
      ...within('aws', overHttp, 3),
      ...within('aws', overHttps, 3),
      ...within('azure', acr, 3.2),
      ...within('gcp', artifactRegistry, 3.2),
      ...within('gcp', artifactRegistryPod, 3.2),
    ],
    run: async (cloud, field, { rounds }) => [await measureAt(cloud, 0, field, rounds)],
  },
  far: {
    gates: [{ variant: nameIn(tenMs, overHttps), metric: 'wallMs', dividedBy: nameIn(tenMs, ecrPeer), atMost: 1.65 }],
    run: async (cloud, field, { rounds }) => {
      const samples: Sample[] = [];
      for (const roundTripMs of farMs) samples.push(await measureAt(cloud, roundTripMs, field, rounds));
      return samples;
    },
  },
  cold: {
    gates: [],
    run: async (cloud, field, { rounds }) => {
      const measured = await field.measureCold(Math.ceil(rounds / coldShare));
      return [{ setting: `${cloud}, cold file`, measured }];
    },
  },
};

/** Each start from the disk takes several times as long, and shows less. */
const coldShare = 5;

/** The plugin with nothing kept warm, and what it takes the place of, on a node of each cloud. */
export const credentialProvider: RunnableBench = {
  options: ['only', 'clouds', 'rounds', 'beside'],
  run: async (options, say) => {
    const chosen = choose(sections, options['only']);
    const clouds = choose(grounds, options['clouds']).map(([name]) => name as CloudName);
    const rounds = roundsOf(options['rounds']);
    const beside = options['beside'] === undefined ? undefined : resolve(options['beside']);
    const samples: Sample[] = [];
    for (const cloud of clouds) {
      const field = await openField(cloud, beside, say);
      try {
        for (const [name, section] of chosen) {
          say(`${cloud}: ${name}`);
          samples.push(...(await section.run(cloud, field, { rounds })));
        }
      } finally {
        await field.stop();
      }
    }
    // A part of the clouds is for trying something out.
    const gates = clouds.length < Object.keys(grounds).length ? [] : chosen.flatMap(([, section]) => section.gates);
    const verdicts = judge(gates, (variant, metric) => valueOf(samples, variant, metric));
    const table = `${samples.map(formatSample).join('\n')}\n${formatWaits(samples)}`;
    return { table, verdicts, json: { rounds, samples } };
  },
};

async function measureAt(cloud: CloudName, roundTripMs: number, field: Field, wall: number): Promise<Sample> {
  const atOutput = roundTripMs === 0 ? Math.ceil(wall / coldShare) : 1;
  const measured = await field.measureAt(roundTripMs, { warmUp: 2, wall, atOutput });
  return { setting: `${cloud}, ${roundTripMs} ms`, measured };
}

/** Of the time that bare node takes, and of anonymous memory. */
function within(cloud: CloudName, name: string, atMost: number): readonly Gate[] {
  const setting: Setting = `${cloud}, 0 ms`;
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
  const rounds = text === undefined ? usualRounds : Number(text);
  if (Number.isInteger(rounds) && rounds >= 1) return rounds;
  throw new Error('--rounds takes a whole number from 1 on');
}
