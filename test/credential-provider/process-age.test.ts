import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../build/project.ts';
import { ageMs } from '../../credential-provider/process-age.ts';

/** As the kernel writes it, with a name that contains its own end marker. */
function statOf(startTicks: number): string {
  return `4711 (a) S 1 (b)) S 1 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 ${startTicks} 1000 200 18446744073709551615\n`;
}

await t.test('the age is the time since the fork', (t) => {
  t.equal(ageMs(statOf(100_000), '1003.50 99.00\n'), 3_500);
  t.equal(ageMs(statOf(100_000), '1000.00 99.00\n'), 0);
  t.end();
});

for (const [what, stat, uptime] of [
  ['a clock that went back', statOf(100_000), '900.00 1\n'],
  ['older than the kubelet lets anyone become', statOf(100_000), '1061.00 1\n'],
  ['nothing readable', '', ''],
  ['no numbers', '1 (a) S x', 'x'],
] as const) {
  await t.test(`unknown: ${what}`, (t) => {
    t.equal(ageMs(stat, uptime), 0);
    t.end();
  });
}

await t.test('the time of another program in the same process counts', (t) => {
  const module = join(projectDirectory, 'credential-provider/process-age.ts');
  const script = `import { processAgeMs } from '${module}'; process.stdout.write(String(processAgeMs()))`;
  const command = `sleep 0.5; exec "$0" --input-type=module --eval "$1"`;
  const { stdout } = spawnSync('/usr/bin/env', ['-i', '/bin/sh', '-c', command, process.execPath, script]);
  const age = Number(stdout);
  t.ok(age >= 500 && age < 30_000, `${age} ms`);
  t.end();
});
