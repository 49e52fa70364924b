import t from 'tap';
import { seaConfig } from '../../build/single-executable.ts';

await t.test('what every executable is told about itself', (t) => {
  const assets = { bundle: '/a/bundle.cjs', 'code-cache': '/a/code-cache' };
  t.strictSame(seaConfig('../start.cjs', assets), {
    main: '../start.cjs',
    disableExperimentalSEAWarning: true,
    // A snapshot would bake in entropy, and Node's own code cache knows nothing of what runs later.
    useSnapshot: false,
    useCodeCache: false,
    execArgv: ['--use-openssl-ca', '--no-use-system-ca', '--openssl-config=/dev/null'],
    execArgvExtension: 'none',
    assets,
  });
  t.end();
});
