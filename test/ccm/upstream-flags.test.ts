import t from 'tap';
import { program } from '../../ccm/program.ts';
import { program as agent } from '../../node-agent/program.ts';
import type { OptionDescription, ProgramDescription } from '../../lib/command-line/program-description.ts';
import { sharedOptions } from '../../lib/command-line/shared-options.ts';
import { recordedFlags, recordedPrograms } from '../support/recorded-flags.ts';
import type { RecordedFlag } from '../support/recorded-flags.ts';

// The programs that ours replace have these flags. Each needs a decision: it does the same here, or upstream-flags.ts
// has it.
const replacedBy: Readonly<Record<(typeof recordedPrograms)[number], readonly ProgramDescription[]>> = {
  'aws-cloud-controller-manager': [program],
  'azure-cloud-controller-manager': [program],
  'gcp-cloud-controller-manager': [program],
  'azure-cloud-node-manager': [agent],
  'other-versions': [program],
};

for (const recorded of recordedPrograms) {
  for (const ours of replacedBy[recorded]) {
    await t.test(`${ours.name} has a decision for each flag of ${recorded}`, async (t) => {
      const flags = await recordedFlags(recorded);
      t.ok(flags.length > 15, `${flags.length} flags`);
      for (const { flag, type } of flags) {
        const found = decisionsFor(ours, flag);
        t.equal(found.length, 1, `${flag} has one decision`);
        t.equal(found[0]?.value !== undefined, takesValue({ flag, type }), `${flag} takes a value or not, as there`);
      }
    });
  }
}

await t.test('every flag of the tables is one of theirs', async (t) => {
  const recorded = new Set((await Promise.all(recordedPrograms.map(recordedFlags))).flat().map(({ flag }) => flag));
  for (const { name, upstreamOptions } of [program, agent]) {
    for (const { flag } of upstreamOptions) t.ok(recorded.has(flag), `${name}: ${flag}`);
  }
});

function decisionsFor(
  { options, upstreamOptions = [] }: ProgramDescription,
  flag: string,
): readonly OptionDescription[] {
  const all = [...options, ...sharedOptions, ...upstreamOptions];
  return all.filter((option) => option.flag === flag || option.aliases?.includes(flag) === true);
}

/** `--version` prints the version in both; there it may have a value. */
function takesValue({ flag, type }: RecordedFlag): boolean {
  return type !== undefined && flag !== '--version';
}
