import type { InstallResult, UninstallResult } from './install.ts';

/** For people. Pure. */
export function installText(result: InstallResult, isDryRun: boolean): string {
  if (result.kind === 'printed') return result.text;
  const { layout, changed, unchanged, replaced, hostBroker } = result;
  return lines([
    ['layout', layout],
    ...changed.map((path) => [isDryRun ? 'would write' : 'wrote', path] as const),
    ...unchanged.map((path) => ['unchanged', path] as const),
    ...replaced.map((name) => ['replaces', `${name}, with the entries that the kubelet has for it`] as const),
    ...(hostBroker === undefined ? [] : [['broker', brokerTexts[hostBroker]] as const]),
    restartRow(result),
  ]);
}

const brokerTexts = {
  running: 'runs on the host',
  'next-boot': 'runs on the host after its next boot: systemd does not run there now',
};

/** For people. Pure. */
export function uninstallText(result: UninstallResult): string {
  const { restored, left } = result;
  if (restored.length === 0 && left.length === 0) return 'nothing is installed\n';
  return lines([
    ...restored.map((path) => ['restored', path] as const),
    ...left.map((path) => ['left', `${path}, which was changed since`] as const),
    restartRow(result),
  ]);
}

function restartRow({ restart, restarted }: Pick<UninstallResult, 'restart' | 'restarted'>): readonly [string, string] {
  if (restarted !== undefined) return ['restarted', `${restarted}, and the Node is Ready`];
  const reason = 'one node at a time: the kubelet reads its configuration only when it starts';
  return ['restart', restart === undefined ? 'not needed' : `systemctl restart ${restart}, ${reason}`];
}

function lines(rows: ReadonlyArray<readonly [string, string]>): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `${name.padEnd(width)}  ${text}\n`).join('');
}
