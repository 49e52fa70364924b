import { controllerMetrics } from '../../../../schemas/metrics/controller.ts';
import { daemonMetrics } from '../../../../schemas/metrics/daemon.ts';
import { checkServed } from '../../../support/declared-metrics.ts';
import type { AuditEvent } from '../../../lab/control-plane/audit.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { sendRequest } from '../../../lib/server/send-request.ts';
import { quickFlags, runOnce, soonMs, startController, untilLogged } from './controller-process.ts';
import { controllerGroup } from './permissions.ts';
import { onCluster } from './on-cluster.ts';

const jsonFlags = ['--logging-format', 'json', '-v', '1'];

await onCluster(
  'who sees the pages is asked with the kubeconfigs given for it, and logs are JSON',
  async (t, world) => {
    const { plane } = world;
    const [whoIs, mayThey] = [
      await plane.kubeconfigFor('who-is', [controllerGroup]),
      await plane.kubeconfigFor('may-they', [controllerGroup]),
    ];
    const { output: said, port } = await startController(world, {
      deletion: {},
      flags: [...quickFlags, '--authentication-kubeconfig', whoIs, '--authorization-kubeconfig', mayThey, ...jsonFlags],
    });
    await untilLogged(said, /"msg":"Leading"/, soonMs);

    await t.test('the pages', async (t) => {
      await plane.kubectl(['create', 'serviceaccount', 'scraper']);
      await plane.kubectl(['create', 'clusterrole', 'scrape', '--verb=get', '--non-resource-url=/metrics']);
      await plane.kubectl([
        'create',
        'clusterrolebinding',
        'scrape',
        '--clusterrole=scrape',
        '--serviceaccount=default:scraper',
      ]);
      const account = { namespace: 'default', name: 'scraper' };
      const token = await plane.tokenFor(account, { audiences: [], expirationSeconds: 600 });
      const headers = { authorization: `Bearer ${token}` };
      const metrics = await sendRequest(port, '/metrics', { headers });
      t.equal(metrics.status, 200);
      checkServed(t, metrics.text, [daemonMetrics, controllerMetrics]);
      t.match(await sendRequest(port, '/statusz', { headers }), { status: 403 });
      t.match(await sendRequest(port, '/metrics', {}), { status: 403 });
      const asked = (resource: string) => (event: AuditEvent) =>
        event.verb === 'create' && event.objectRef?.resource === resource;
      const whoAsked = (resource: string): Promise<ReadonlySet<string>> =>
        waitUntil({ what: `${resource} in the audit log`, withinMs: soonMs, everyMs: 50 }, async () => {
          const events = (await plane.auditEvents()).filter(asked(resource));
          const ours = events.filter(({ userAgent = '' }) => userAgent.startsWith('polycloud-ccm/'));
          return ours.length > 0 ? new Set(ours.map(({ user }) => user.username)) : undefined;
        });
      t.strictSame(await whoAsked('tokenreviews'), new Set(['who-is']));
      t.strictSame(await whoAsked('subjectaccessreviews'), new Set(['may-they']));
    });

    await t.test('status, for a user who may only read the Lease and the Nodes', async (t) => {
      const kubeconfig = await plane.kubeconfigFor('operator', []);
      const lease = ['--resource=leases.coordination.k8s.io', '--resource-name=cloud-controller-manager'];
      await plane.kubectl(['create', 'clusterrole', 'see-status', '--verb=list', '--resource=nodes']);
      await plane.kubectl([
        'create',
        'clusterrolebinding',
        'see-status',
        '--clusterrole=see-status',
        '--user=operator',
      ]);
      const settings = { deletion: {}, flags: [], kubeconfig };
      const partly = await runOnce(world, settings, ['status']);
      t.match(partly, {
        code: 1,
        stdout: /^\? +leader +.*forbidden.*\n.*allow get on the Lease[^]*ok +nodes +0 Nodes/,
      });
      await plane.kubectl(['-n', 'kube-system', 'create', 'role', 'see-lease', '--verb=get', ...lease]);
      const binding = [
        '-n',
        'kube-system',
        'create',
        'rolebinding',
        'see-lease',
        '--role=see-lease',
        '--user=operator',
      ];
      await plane.kubectl(binding);
      // The leader writes its status with the next renewal.
      const report = await waitUntil({ what: 'a status', withinMs: soonMs, everyMs: 200 }, async () => {
        const { code, stdout } = await runOnce(world, settings, ['status', '-o', 'json']);
        return code === 0 ? (JSON.parse(stdout) as unknown) : undefined;
      });
      t.match(report, { ok: true, checks: [{ code: 'leading' }, { code: 'clouds' }, { code: 'nodes' }] });
      t.match(report, { leader: { clouds: ['aws'], nodes: { ours: 0 }, scopes: [] } });
    });

    await t.test('the log', (t) => {
      const lines = said().trimEnd().split('\n');
      for (const line of lines) t.match(JSON.parse(line), { ts: Number, level: /^(?:info|error)$/, msg: String });
      t.match(said(), /"level":"info","v":0,"msg":"Starting","program":"polycloud-ccm","clouds":\["aws"\]/);
      t.match(said(), /"msg":"Leading","identity":/);
      t.end();
    });
  },
);
