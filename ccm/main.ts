import { runProgram } from '../lib/program.ts';
import { standardError, writeAll } from '../lib/write-all.ts';

const program = {
  name: 'polycloud-ccm',
  summary: 'Keep the Nodes of a cluster true to their instances, on several clouds at once.',
  options: [],
};

void runProgram(program, () => {
  writeAll(
    standardError,
    `${program.name}: this version has no work to do yet; only --version and --help are answered\n`,
  );
  return 1;
});
