import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { stringify } from 'yaml';
import { agentMetrics } from '../../../schemas/metrics/agent.ts';
import { daemonMetrics } from '../../../schemas/metrics/daemon.ts';
import { createAuthority } from '../../lab/authority.ts';
import { checkServed } from '../../support/declared-metrics.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { freePort } from '../../lab/control-plane/free-port.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { newNode } from './agent-permissions.ts';
import { checkPages, checkRights, readMetricsAs, startAsPod } from './as-pod.ts';
import { only, release, render } from '../../lab/helm/chart.ts';
import type { Manifest } from '../../lab/helm/chart.ts';
import { apply, callerWith, createNode, tokenOfPod } from './cluster.ts';
import { monitoringKinds } from './monitoring-kinds.ts';
import { waitForPolicies } from './wait-for-policies.ts';

const [programs, helm] = [await findPrograms(), await findHelm()];
const workload = { kind: 'DaemonSet', name: 'polycloud-node-agent' };
const soon = { withinMs: 20_000, everyMs: 50 };
const rights = ['list nodes', 'watch nodes', 'patch nodes', 'create tokenreviews', 'create subjectaccessreviews'];
const machine = {
  name: 'own',
  addresses: [{ type: 'InternalIP', address: '10.0.0.7' }],
  zone: 'hall-1',
  labels: { 'example.com/rack': 'r1' },
};

await t.test('the agent at work, as the chart holds it', requires(programs.available ? helm : programs), async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const [port, directory] = [await freePort(), t.testdir({})];
  const rendered = await render(
    {
      config: { static: { inventoryFile: '/etc/polycloud/inventory.yaml' } },
      configFiles: { 'inventory.yaml': stringify({ machines: [machine] }) },
      ccm: { enabled: false },
      agent: {
        cloud: 'static',
        port,
        bindAddress: '127.0.0.1',
        extraLabels: ['example.com/rack'],
        metrics: { readers: [{ name: 'prometheus', namespace: 'default' }] },
        podMonitor: { enabled: true },
        certificate: { secretName: 'serving' },
        extraArgs: [`--status-socket=${directory}/agent.sock`],
      },
    },
    monitoringKinds,
  );
  // The API server has no kinds of the Prometheus operator here.
  const manifests = rendered.filter(({ kind }) => kind !== 'PodMonitor');
  await apply(plane, manifests);
  for (const name of ['own', 'other']) await createNode(plane, newNode(name));
  const authority = await createAuthority(directory);
  const tls = scrapeTls(rendered);
  const { certificateFile, keyFile } = await authority.issue('serving', [tls.serverName]);
  await copyFile(certificateFile, join(directory, 'tls.crt'));
  await copyFile(keyFile, join(directory, 'tls.key'));
  const token = await tokenOfPod(plane, manifests, { ...workload, nodeName: 'own' });
  await waitForPolicies(callerWith(plane, token));
  const said = await startAsPod(t, { plane, manifests, token, workload, env: { NODE_NAME: 'own' }, directory });

  await t.test('initialises its Node', async (t) => {
    const node = await waitUntil({ what: 'it is initialised', ...soon }, async () => {
      const { body } = await plane.ask('GET', '/api/v1/nodes/own');
      return JSON.stringify(body).includes('uninitialized') ? undefined : body;
    });
    t.match(node, {
      metadata: { labels: { 'example.com/rack': 'r1', 'topology.kubernetes.io/zone': 'hall-1' } },
      spec: { providerID: 'static://own' },
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.7' }] },
    });
  });
  await t.test('answers probes, and serves its metrics to the readers in the values', (t) =>
    checkPages(t, { plane, port, metric: 'polycloud_node_agent_writes_total' }),
  );
  await t.test('is scraped as its monitor says, with a certificate that is verified', async (t) => {
    const ca = await readFile(authority.certificateFile);
    const scraper = { namespace: release.namespace, name: 'polycloud-node-agent-scraper' };
    t.match(tls, { ca: { secret: { name: 'serving', key: 'ca.crt' } } });
    const page = await readMetricsAs(scraper, plane, port, { ca, servername: tls.serverName });
    checkServed(t, page, [daemonMetrics, agentMetrics]);
    await t.rejects(readMetricsAs(scraper, plane, port, { ca, servername: 'other.example' }), { code: /ALTNAME/ });
    await t.rejects(readMetricsAs(scraper, plane, port, { ca: [], servername: tls.serverName }), {
      code: /VERIFY|ISSUER/,
    });
  });
  await t.test('is refused nothing', async (t) => {
    await checkRights(t, plane, workload.name, rights);
    t.notMatch(said(), /forbidden|denied/);
  });
});

interface ScrapeTls {
  readonly serverName: string;
}

function scrapeTls(manifests: readonly Manifest[]): ScrapeTls {
  const { spec } = only(manifests, 'PodMonitor', workload.name);
  const { podMetricsEndpoints } = spec as { podMetricsEndpoints: readonly { readonly tlsConfig: ScrapeTls }[] };
  const [endpoint] = podMetricsEndpoints;
  if (endpoint === undefined) throw new Error('the monitor has no endpoint');
  return endpoint.tlsConfig;
}
