import t from 'tap';
import { readAgentFlags } from '../../node-agent/options.ts';

await t.test('only the name of the Node is required', (t) => {
  t.strictSame(readAgentFlags({}, { NODE_NAME: 'node-a' }), {
    kubeconfig: undefined,
    nodeName: 'node-a',
    cloudName: undefined,
    detectClouds: undefined,
    nodeSync: true,
    configFile: undefined,
    brokerSocket: '/run/polycloud/broker.sock',
    statusSocket: '/run/polycloud/agent.sock',
    readEveryMs: 60_000,
    interruptionMode: undefined,
    dryRun: false,
  });
  t.end();
});

await t.test('flags win over the environment', (t) => {
  const given = { '--node-name': 'b', '--cloud': 'aws', '--node-status-update-frequency': '1m30s' };
  t.match(readAgentFlags(given, { NODE_NAME: 'a' }), { nodeName: 'b', cloudName: 'aws', readEveryMs: 90_000 });
  t.end();
});

await t.test('logins only, dry run, and a list of clouds', (t) => {
  const env = { NODE_NAME: 'a' };
  t.match(readAgentFlags({ '--node-sync': 'false' }, env), { nodeSync: false });
  t.match(readAgentFlags({ '--dry-run': 'true' }, env), { dryRun: true });
  t.match(readAgentFlags({ '--interruption-mode': 'report' }, env), { interruptionMode: 'report' });
  t.match(readAgentFlags({ '--detect-clouds': 'aws, static' }, env), { detectClouds: ['aws', 'static'] });
  t.match(readAgentFlags({ '--detect-clouds': 'gce,gcp' }, env), { detectClouds: ['gcp'] });
  t.match(readAgentFlags({ '--cloud': 'gce' }, env), { cloudName: 'gcp' });
  t.end();
});

for (const [given, env, says] of [
  [{ '--node-sync': 'false', '--broker-socket': 'none' }, { NODE_NAME: 'a' }, /leave nothing to do/],
  [{ '--detect-clouds': ' ,' }, { NODE_NAME: 'a' }, /--detect-clouds names no cloud/],
  [{ '--detect-clouds': 'aws,awss' }, { NODE_NAME: 'a' }, /^--detect-clouds names "awss", which is not a known cloud$/],
  [{ '--cloud': 'awss' }, { NODE_NAME: 'a' }, /^--cloud names "awss", which is not a known cloud$/],
  [{ '--interruption-mode': 'cordon' }, { NODE_NAME: 'a' }, /--interruption-mode is "cordon"/],
  [{}, {}, /NODE_NAME/],
  [{}, { NODE_NAME: '' }, /NODE_NAME/],
  [{ '--node-status-update-frequency': '10ms' }, { NODE_NAME: 'a' }, /shorter than 100ms/],
  [{ '--node-status-update-frequency': 'often' }, { NODE_NAME: 'a' }, /not a duration/],
] as const) {
  await t.test(`refused: ${JSON.stringify({ given, env })}`, (t) => {
    t.throws(() => readAgentFlags(given, env), { name: 'Failure', kind: 'misconfigured', message: says });
    t.end();
  });
}
