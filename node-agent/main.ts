import { runProgram } from '../lib/program.ts';
import { standardError, writeAll } from '../lib/write-all.ts';

const program = {
  name: 'polycloud-node-agent',
  summary: 'Watch over the node it runs on: its Node object, interruption notices and registry credentials.',
  options: [],
};

void runProgram(program, () => {
  writeAll(
    standardError,
    `${program.name}: this version has no work to do yet; only --version and --help are answered\n`,
  );
  return 1;
});
