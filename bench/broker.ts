import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { hostArchitecture } from '../build/architecture.ts';
import { executablePath } from '../build/executable.ts';
import { frontEnd } from '../build/front-end.ts';
import { brokerSocket } from '../schemas/broker.ts';
import { grounds, names, openField } from './broker/field.ts';
import type { CloudName, Field } from './broker/field.ts';
import type { InsideResult, InsideTask } from './broker/inside.ts';
import { judge } from './harness/gate.ts';
import type { Gate } from './harness/gate.ts';
import type { Measured, Rounds } from './harness/measure.ts';
import { metricsOf } from './harness/measure.ts';
import { formatMeasured } from './harness/report.ts';
import type { RunnableBench } from './harness/runnable.ts';

const roundTripsMs = [0, 2, 10, 50];
const usualRounds: Rounds = { warmUp: 3, wall: 60, atOutput: 5 };
const clouds: readonly CloudName[] = ['aws', 'azure'];
const inside = fileURLToPath(new URL('broker/inside.ts', import.meta.url));
const longestMs = 30 * 60_000;
const bytesPerKb = 1024;

/** One place of measurement: a cloud, and how far away it is. */
interface Setting {
  readonly cloud: CloudName;
  readonly roundTripMs: number;
}

interface Sample extends Setting, InsideResult {}

/** The front end before a warm broker, and the programs that it takes the place of, with the cloud at several distances. */
export const broker: RunnableBench = {
  options: ['rounds'],
  run: async (options, say) => {
    const rounds = options['rounds'] === undefined ? usualRounds : fewer(Number(options['rounds']));
    const samples: Sample[] = [];
    for (const cloud of clouds) {
      const field = await openField(cloud, say);
      try {
        for (const roundTripMs of roundTripsMs) {
          say(`${cloud}, ${roundTripMs} ms away`);
          samples.push({ cloud, roundTripMs, ...(await measureOn(field, roundTripMs, rounds)) });
        }
      } finally {
        await field.stop();
      }
    }
    const sizeBytes = (await stat(executablePath(frontEnd, hostArchitecture()))).size;
    const verdicts = judge(gates(samples), (variant, metric) => valueOf({ samples, sizeBytes }, variant, metric));
    return { table: samples.map(formatSample).join('\n'), verdicts, json: { rounds, sizeBytes, samples } };
  },
};

async function measureOn(field: Field, roundTripMs: number, rounds: Rounds): Promise<InsideResult> {
  const { host, variants, farHosts, cloud } = field;
  const isFirst = cloud === clouds[0] && roundTripMs === roundTripsMs[0];
  const crowd = isFirst && { crowd: { variant: names.front, socketPath: brokerSocket } };
  const task: InsideTask = { variants, rounds, roundTripMs, farHosts, ...crowd };
  const options = { env: {}, input: '', timeoutMs: longestMs };
  const { code, stdout, stderr } = await host.run(process.execPath, [inside, JSON.stringify(task)], options);
  if (code !== 0) throw new Error(`measuring ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as InsideResult;
}

function nameAt({ cloud, roundTripMs }: Setting, variant: string): string {
  return `${variant} (${cloud}, ${roundTripMs} ms)`;
}

function gates(samples: readonly Sample[]): readonly Gate[] {
  const wall = (setting: Setting, divisor: string, atMost: number): Gate => ({
    variant: nameAt(setting, names.front),
    metric: 'wallMs',
    dividedBy: nameAt(setting, divisor),
    atMost,
  });
  return [
    ...samples.flatMap((setting) => [wall(setting, names.node, 0.1), wall(setting, grounds[setting.cloud].peer, 0.1)]),
    { variant: names.front, metric: 'sizeKb', atMost: 8 },
    { variant: `50 × ${names.front}`, metric: 'peakMb', atMost: 75 },
  ];
}

interface Found {
  readonly samples: readonly Sample[];
  readonly sizeBytes: number;
}

function valueOf({ samples, sizeBytes }: Found, variant: string, metric: string): number | undefined {
  if (metric === 'sizeKb') return sizeBytes / bytesPerKb;
  if (metric === 'peakMb') return Math.max(...samples.map(({ crowdKb = 0 }) => crowdKb)) / bytesPerKb;
  for (const sample of samples) {
    const measured = sample.measured.find((one) => nameAt(sample, one.name) === variant);
    if (measured !== undefined) return metricsOf(measured)[metric]?.p50;
  }
  return undefined;
}

function formatSample({ cloud, roundTripMs, measured }: Sample): string {
  const peer: Measured | undefined = measured.find(({ name }) => name === grounds[cloud].peer);
  return `${cloud}, ${roundTripMs} ms round trip\n${formatMeasured(measured, peer?.name ?? names.node)}`;
}

/** To try it out: what comes of it is no measurement. */
function fewer(rounds: number): Rounds {
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1 on');
  return { warmUp: 1, wall: rounds, atOutput: Math.min(rounds, usualRounds.atOutput) };
}
