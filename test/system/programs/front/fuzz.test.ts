import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { hostArchitecture } from '../../../../build/architecture.ts';
import { compilerWarnings, findCompiler } from '../../../../build/executables/compiler.ts';
import { createRandom } from '../../../support/random.ts';
import { requires } from '../../../lab/requires.ts';
import { pluginDirectory, pluginName } from '../../../lab/warm/warm-host.ts';
import type { RunResult } from '../../../lab/network/run-command.ts';
import { randomCase, expectedOf } from './random-cases.ts';
import type { RandomCase, ExpectedResult } from './random-cases.ts';
import { createFrontEndFixture, startFakeBroker, frontSupport, parseFullProgramStart } from './fixture.ts';
import type { FrontCall, FrontEndFixture } from './fixture.ts';

/** One round by default; .ci/run makes 20. */
const casesEachRound = 150;
const longestRoundMs = 60_000;
const mostGivenBackBytes = 1_000_001;
const rounds = Number(process.env['POLYCLOUD_TEST_ROUNDS'] || '1');
const seed = process.env['POLYCLOUD_TEST_SEED'] || randomBytes(4).toString('hex');

t.setTimeout(30_000 + rounds * longestRoundMs);

/** The same source, built with sanitizers for memory errors and undefined behaviour. */
async function watchFrontEnd({ host }: FrontEndFixture): Promise<void> {
  const source = fileURLToPath(new URL('with-c-library.c', import.meta.url));
  const place = host.path(`${pluginDirectory}/${pluginName}`);
  const watched = ['-g', '-O1', '-fno-pie', '-no-pie', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
  const compiler = findCompiler(hostArchitecture()) ?? 'gcc';
  await promisify(execFile)(compiler, [...compilerWarnings, ...watched, '-o', place, source]);
}

await t.test(`random input, with sanitizers (seed ${seed})`, requires(await frontSupport()), async (t) => {
  const stage = await createFrontEndFixture();
  t.teardown(stage.stop);
  await watchFrontEnd(stage);
  const random = createRandom(seed);
  let next = randomCase(random);
  const broker = await startFakeBroker(stage.socketPath, (socket) => {
    const { reply, piecesBytes } = next;
    for (let at = 0; at < reply.length; at += piecesBytes) socket.write(reply.subarray(at, at + piecesBytes));
    socket.end();
  });
  t.teardown(broker.close);
  const ends = { answer: 0, failure: 0, full: 0 };
  for (let number = 1; number <= rounds * casesEachRound; number++) {
    next = randomCase(random);
    const expected = expectedOf(next);
    const result = await stage.ask(next.call);
    const what = `case ${number} of seed ${seed}`;
    for (const problem of problemsOf(result, expected, next)) t.fail(`${what}: ${problem}`);
    if (expected === undefined) ends.full += 1;
    else ends[expected.code === 0 ? 'answer' : 'failure'] += 1;
  }
  for (const [end, count] of Object.entries(ends)) t.ok(count > casesEachRound / 30, `${count} × ${end}`);
});

function problemsOf(result: RunResult, expected: ExpectedResult | undefined, { call }: RandomCase): readonly string[] {
  const { stdout, stderr, code, signal } = result;
  if (/Sanitizer|runtime error/.test(stderr) || signal !== null) return [stderr || String(signal)];
  if (expected === undefined) return isFullProgram(stdout, call) ? [] : [stdout];
  const isRight = stdout === String(expected.stdout) && stderr === String(expected.stderr) && code === expected.code;
  return isRight ? [] : [`ended with ${code}: ${stdout}${stderr}`];
}

/** The full program's stub prints at most `mostGivenBackBytes` of the input, which shows that it was too large. */
function isFullProgram(stdout: string, { input }: FrontCall): boolean {
  const sentBytes = Buffer.byteLength(input);
  const bytes = parseFullProgramStart({ stdout })?.bytes;
  return bytes === sentBytes || bytes === Math.min(sentBytes, mostGivenBackBytes);
}
