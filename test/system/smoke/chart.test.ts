import t from 'tap';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { only, render, runHelm, chartDirectory } from '../../lab/helm/chart.ts';

await t.test('the chart renders', requires(await findHelm()), async (t) => {
  const manifests = await render({ clouds: ['aws'] });
  t.ok(only(manifests, 'Deployment', 'polycloud-ccm'));
  t.ok(manifests.some(({ kind }) => kind === 'DaemonSet'));
  t.match(await runHelm(['lint', '--strict', chartDirectory], {}), { code: 0 });
});
