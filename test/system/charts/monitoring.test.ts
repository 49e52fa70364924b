import t from 'tap';
import { stringify } from 'yaml';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { only, render } from '../../lab/helm/chart.ts';
import type { Manifest, Values } from '../../lab/helm/chart.ts';
import { monitoringKinds } from './monitoring-kinds.ts';

await t.test('the values for monitoring', requires(await findHelm()), async (t) => {
  await t.test('show metrics to a scraper, with or without the Prometheus operator', async (t) => {
    const readers = [{ name: 'prometheus', namespace: 'monitoring' }];
    const values = {
      ccm: { metrics: { enabled: true, readers } },
      agent: { metrics: { readers }, serviceMonitor: { enabled: true } },
    };
    const monitorsOf = (manifests: readonly Manifest[]): readonly string[] =>
      manifests.filter(({ kind }) => kind === 'ServiceMonitor').map(({ metadata }) => metadata.name);
    const without = await render(values);
    t.same(monitorsOf(without), [], 'the cluster does not know that kind');
    for (const name of ['polycloud-ccm', 'polycloud-node-agent']) {
      t.match(only(without, 'Service', name).spec, { clusterIP: 'None' });
      t.match(stringify(only(without, 'ClusterRole', `${name}-metrics`)), /nonResourceURLs:\s+- \/metrics/);
      t.match(
        stringify(only(without, 'ClusterRoleBinding', `${name}-metrics`)),
        /name: prometheus\n +namespace: monit/,
      );
    }
    t.same(monitorsOf(await render(values, monitoringKinds)), ['polycloud-node-agent']);
  });
  await t.test('let a monitor verify a certificate, or say that it does not', async (t) => {
    const certificate = { secretName: 'serving' };
    const values = {
      ccm: { serviceMonitor: { enabled: true } },
      agent: { podMonitor: { enabled: true }, certificate },
    };
    const manifests = await render(values, monitoringKinds);
    const tlsOf = (kind: string, name: string): string => stringify(only(manifests, kind, name).spec);
    t.match(tlsOf('ServiceMonitor', 'polycloud-ccm'), /tlsConfig:\n +insecureSkipVerify: true\n/);
    const verified =
      /tlsConfig:\n +ca:\n +secret:\n +name: serving\n +key: ca.crt\n +serverName: polycloud-node-agent.kube-system.svc\n/;
    t.match(tlsOf('PodMonitor', 'polycloud-node-agent'), verified);
    t.notMatch(tlsOf('PodMonitor', 'polycloud-node-agent'), 'insecure');
    const daemonSet = stringify(only(manifests, 'DaemonSet', 'polycloud-node-agent'));
    t.match(daemonSet, '--tls-cert-file=/etc/ssl/polycloud/tls.crt');
    t.notOk(stringify(only(manifests, 'Deployment', 'polycloud-ccm')).includes('tls-cert-file'));
  });
  await t.test('leave out what the cluster has no kind for, and what was not asked for', async (t) => {
    const kindsOf = async (values: Values, known: readonly string[]): Promise<readonly string[]> =>
      (await render(values, known)).map(({ kind }) => kind).filter((kind) => /Monitor|PrometheusRule/.test(kind));
    const values = { agent: { podMonitor: { enabled: true } }, prometheusRule: { enabled: true } };
    t.same(await kindsOf(values, []), []);
    t.same(await kindsOf({}, monitoringKinds), []);
    t.same((await kindsOf(values, monitoringKinds)).toSorted(), ['PodMonitor', 'PrometheusRule']);
    t.same((await kindsOf(values, monitoringKinds.slice(2))).toSorted(), ['PrometheusRule']);
  });
});
