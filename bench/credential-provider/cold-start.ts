import { rotated } from '../harness/measure.ts';
import type { VariantMeasurement } from '../harness/measure.ts';
import { percentiles } from '../harness/percentile.ts';
import type { Variant } from '../harness/variant.ts';
import { wallMs } from '../harness/wall-time.ts';
import { evict } from './evict.ts';

/** The arguments of the process that measures inside the lab. */
export interface ColdTask {
  readonly variants: readonly Variant[];
  readonly rounds: number;
}

/** It runs on the machine of the lab: each start finds nothing of its executable in memory. */
const { variants, rounds } = JSON.parse(process.argv[2] ?? '') as ColdTask;
const walls = new Map<string, number[]>(variants.map(({ name }) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  for (const variant of rotated(variants, round)) {
    await evict(variant.file);
    walls.get(variant.name)?.push(await wallMs(variant));
  }
}
const measured: readonly VariantMeasurement[] = [...walls].map(([name, values]) => ({
  name,
  wallMs: percentiles(values),
}));
process.stdout.write(JSON.stringify(measured));
