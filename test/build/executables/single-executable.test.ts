import t from 'tap';
import { seaConfig, sharedNodeFlags } from '../../../build/executables/single-executable.ts';

await t.test('what every executable is told about itself', (t) => {
  const assets = { 'main.js': '/a/main.js', 'main.js.code-cache': '/a/main.js.code-cache' };
  const nodeFlags = [...sharedNodeFlags, '--of-its-own'];
  t.strictSame(seaConfig({ main: '../start.cjs', nodeFlags, assets }), {
    main: '../start.cjs',
    disableExperimentalSEAWarning: true,
    // A snapshot would bake in entropy, and Node's own code cache knows nothing of what runs later.
    useSnapshot: false,
    useCodeCache: false,
    execArgv: [
      '--use-openssl-ca',
      '--no-use-system-ca',
      '--openssl-config=/dev/null',
      '--disable-sigusr1',
      '--of-its-own',
    ],
    execArgvExtension: 'none',
    assets,
  });
  t.end();
});
