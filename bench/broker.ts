import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { hostArchitecture } from '../build/architecture.ts';
import { executablePath } from '../build/executables/executable.ts';
import { frontEndName } from '../build/executables/front-end.ts';
import { brokerSocket } from '../schemas/broker.ts';
import { environments, variantNames, openBrokerFixture } from './broker/fixture.ts';
import type { BrokerCloudName, BrokerFixture } from './broker/fixture.ts';
import type { MeasureResult, MeasureTask } from './broker/measure-in-namespace.ts';
import { evaluateGates } from './harness/gate.ts';
import type { Gate } from './harness/gate.ts';
import type { VariantMeasurement, Rounds } from './harness/measure.ts';
import { metricsOf } from './harness/measure.ts';
import { formatMeasured } from './harness/report.ts';
import type { RunnableBench } from './harness/runnable.ts';

const roundTripsMs = [0, 2, 10, 50];
const defaultRounds: Rounds = { warmUp: 3, wall: 60, atOutput: 5 };
const clouds: readonly BrokerCloudName[] = ['aws', 'azure'];
const measureScript = fileURLToPath(new URL('broker/measure-in-namespace.ts', import.meta.url));
const longestMs = 30 * 60_000;
const bytesPerKb = 1024;

/** One place of measurement: a cloud, and how far away it is. */
interface MeasurementPoint {
  readonly cloud: BrokerCloudName;
  readonly roundTripMs: number;
}

interface BrokerSample extends MeasurementPoint, MeasureResult {}

/** The front end before a warm broker, and the programs that it takes the place of, with the cloud at several distances. */
export const broker: RunnableBench = {
  options: ['rounds'],
  run: async (options, log) => {
    const rounds = options['rounds'] === undefined ? defaultRounds : reducedRounds(Number(options['rounds']));
    const samples: BrokerSample[] = [];
    for (const cloud of clouds) {
      const fixture = await openBrokerFixture(cloud, log);
      try {
        for (const roundTripMs of roundTripsMs) {
          log(`${cloud}, ${roundTripMs} ms away`);
          samples.push({ cloud, roundTripMs, ...(await measureOn(fixture, roundTripMs, rounds)) });
        }
      } finally {
        await fixture.stop();
      }
    }
    const sizeBytes = (await stat(executablePath(frontEndName, hostArchitecture()))).size;
    const gateResults = evaluateGates(gates(samples), (variant, metric) =>
      valueOf({ samples, sizeBytes }, variant, metric),
    );
    return { table: samples.map(formatSample).join('\n'), gateResults, json: { rounds, sizeBytes, samples } };
  },
};

async function measureOn(fixture: BrokerFixture, roundTripMs: number, rounds: Rounds): Promise<MeasureResult> {
  const { host, variants, farHosts, cloud } = fixture;
  const isFirst = cloud === clouds[0] && roundTripMs === roundTripsMs[0];
  const crowd = isFirst && { crowd: { variant: variantNames.front, socketPath: brokerSocket } };
  const task: MeasureTask = { variants, rounds, roundTripMs, farHosts, ...crowd };
  const options = { env: {}, input: '', timeoutMs: longestMs };
  const { code, stdout, stderr } = await host.run(process.execPath, [measureScript, JSON.stringify(task)], options);
  if (code !== 0) throw new Error(`measuring ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as MeasureResult;
}

function nameAt({ cloud, roundTripMs }: MeasurementPoint, variant: string): string {
  return `${variant} (${cloud}, ${roundTripMs} ms)`;
}

function gates(samples: readonly BrokerSample[]): readonly Gate[] {
  const wall = (setting: MeasurementPoint, divisor: string, atMost: number): Gate => ({
    variant: nameAt(setting, variantNames.front),
    metric: 'wallMs',
    dividedBy: nameAt(setting, divisor),
    atMost,
  });
  return [
    ...samples.flatMap((setting) => [
      wall(setting, variantNames.node, 0.1),
      wall(setting, environments[setting.cloud].peer, 0.1),
    ]),
    { variant: variantNames.front, metric: 'sizeKb', atMost: 8 },
    { variant: `50 × ${variantNames.front}`, metric: 'peakMb', atMost: 75 },
  ];
}

interface BrokerResults {
  readonly samples: readonly BrokerSample[];
  readonly sizeBytes: number;
}

function valueOf({ samples, sizeBytes }: BrokerResults, variant: string, metric: string): number | undefined {
  if (metric === 'sizeKb') return sizeBytes / bytesPerKb;
  if (metric === 'peakMb') return Math.max(...samples.map(({ crowdKb = 0 }) => crowdKb)) / bytesPerKb;
  for (const sample of samples) {
    const measured = sample.measured.find((one) => nameAt(sample, one.name) === variant);
    if (measured !== undefined) return metricsOf(measured)[metric]?.p50;
  }
  return undefined;
}

function formatSample({ cloud, roundTripMs, measured }: BrokerSample): string {
  const peer: VariantMeasurement | undefined = measured.find(({ name }) => name === environments[cloud].peer);
  return `${cloud}, ${roundTripMs} ms round trip\n${formatMeasured(measured, peer?.name ?? variantNames.node)}`;
}

/** To try it out: what comes of it is no measurement. */
function reducedRounds(rounds: number): Rounds {
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds takes a whole number from 1 on');
  return { warmUp: 1, wall: rounds, atOutput: Math.min(rounds, defaultRounds.atOutput) };
}
