import t from 'tap';
import type { ControlPlane } from '../../lab/control-plane/control-plane.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { chartDirectory, runHelm } from '../../lab/helm/chart.ts';
import type { Values } from '../../lab/helm/chart.ts';

const [programs, helm] = [await findPrograms(), await findHelm()];

const kinds = [
  'deployments,daemonsets,poddisruptionbudgets,configmaps,serviceaccounts,services',
  'roles,rolebindings,clusterroles,clusterrolebindings',
  'validatingadmissionpolicies,validatingadmissionpolicybindings',
].join(',');

await t.test('a release', requires(programs.available ? helm : programs), async (t) => {
  const plane = await controlPlaneFor(t, { parts: [] });
  const run = async (command: string, values?: Values): Promise<string> => {
    const chart = values === undefined ? [] : [chartDirectory];
    const place = ['--namespace', 'clouds', '--kubeconfig', plane.adminKubeconfig];
    const { code, stdout, stderr } = await runHelm([command, 'edge', ...chart, ...place], values);
    if (code !== 0) throw new Error(`helm ${command}: ${stderr}`);
    return stdout;
  };
  await plane.kubectl(['create', 'namespace', 'clouds']);

  await t.test('is installed, and its notes show what to look at', async (t) => {
    const said = await run('install', {
      dryRun: true,
      agent: { serviceMonitor: { enabled: true } },
      credentialProvider: { tokenAudiences: ['sts.amazonaws.com'] },
    });
    t.match(said, 'dryRun is on: controller and agents log what they would write, and write nothing.');
    t.match(said, 'kubectl -n clouds logs -l app.kubernetes.io/instance=edge,app.kubernetes.io/component=ccm --prefix');
    t.match(said, 'explain NODE\n\nIn a dry run it takes no Lease');
    t.match(said, 'Not created, because this cluster does not have that kind: ServiceMonitor.');
    t.match(said, 'kubectl -n clouds rollout status deployment/edge-polycloud-ccm');
    t.match(said, 'the controller waits 30s for the agent of a new Node');
    const policy = await plane.kubectl(['get', 'validatingadmissionpolicy/edge-polycloud-node-agent', '-o', 'yaml']);
    t.match(policy, 'system:serviceaccount:clouds:edge-polycloud-node-agent');
  });
  await t.test('can be changed to any other shape, and back', async (t) => {
    t.match(await run('upgrade', { agent: { enabled: false } }), 'explain NODE\n\nIt waits while another');
    t.notMatch(await ours(plane), /node-agent|token-audiences/);
    const said = await run('upgrade', {
      ccm: { enabled: false },
      agent: { broker: { enabled: true }, nodeSync: { enabled: false } },
    });
    t.match(said, 'Agents: one on every node, for registry logins only.');
    t.notMatch(await ours(plane), /ccm|policy\S*node-agent$/m, 'only the policy for its events is left');
    await run('upgrade', { ccm: { enabled: true } });
    t.match(await ours(plane), /deployment.apps\/edge-polycloud-ccm[^]*daemonset.apps\/edge-polycloud-node-agent/);
  });
  await t.test('leaves nothing when it goes', async (t) => {
    await run('uninstall');
    t.equal(await ours(plane), '');
  });
});

function ours(plane: ControlPlane): Promise<string> {
  const selector = 'app.kubernetes.io/instance=edge';
  return plane.kubectl(['get', kinds, '--all-namespaces', '--selector', selector, '--output', 'name']);
}
