import t from 'tap';
import { architectures } from '../../../build/architecture.ts';
import { missingPackages } from '../../../build/executables/missing-packages.ts';

await t.test('without any tool, the compilers and the emulator of the other architecture are missing', (t) => {
  const path = process.env['PATH'];
  t.teardown(() => {
    process.env['PATH'] = path;
  });
  process.env['PATH'] = '';
  const [other = 'arm64'] = architectures.filter((arch) => arch !== process.arch);
  const missing = missingPackages(architectures);
  t.ok(missing.includes('gcc'), 'for this machine');
  t.ok(missing.includes('qemu-user'));
  t.match(missing.join(' '), other === 'arm64' ? 'gcc-aarch64-linux-gnu' : 'gcc-x86-64-linux-gnu');
  t.end();
});
