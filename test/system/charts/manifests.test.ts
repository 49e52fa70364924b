import t from 'tap';
import type { ControlPlane } from '../../lab/control-plane/control-plane.ts';
import { findPrograms } from '../../lab/control-plane/find-programs.ts';
import { controlPlaneFor } from '../../lab/control-plane/for-test.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { findHelm } from '../../lab/helm/find-helm.ts';
import { requires } from '../../lab/requires.ts';
import { render } from '../../lab/helm/chart.ts';
import type { Manifest, Values } from '../../lab/helm/chart.ts';
import { apply } from './cluster.ts';
import { monitoringDefinitions, monitoringKinds } from './monitoring-kinds.ts';

const [programs, helm] = [await findPrograms(), await findHelm()];
const monitored = {
  metrics: { readers: [{ name: 'prometheus', namespace: 'monitoring' }] },
  status: {
    readers: [
      { kind: 'Group', name: 'operators' },
      { name: 'reader', namespace: 'monitoring' },
    ],
  },
  certificate: { secretName: 'serving' },
};
const extras = {
  extraArgs: ['--tls-min-version=VersionTLS13'],
  extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy.example:3128' }],
  extraVolumes: [{ name: 'key', secret: { secretName: 'cloud-key' } }],
  extraVolumeMounts: [{ name: 'key', mountPath: '/key', readOnly: true }],
  podLabels: { 'example.com/team': 'a' },
  podAnnotations: { 'example.com/note': 'a' },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::123456789012:role/ccm' } },
};
const variants: Readonly<Record<string, Values>> = {
  'as it comes': {},
  'without agents': { agent: { enabled: false } },
  'with the broker': { agent: { broker: { enabled: true } } },
  'for logins only': { ccm: { enabled: false }, agent: { nodeSync: { enabled: false }, broker: { enabled: true } } },
  'with everything': {
    image: { registry: 'registry.example:5000/polycloud', tag: 'v1', pullSecrets: ['pull'] },
    clouds: ['aws', 'static'],
    config: { static: { inventoryFile: '/etc/polycloud/inventory.yaml' } },
    configFiles: { 'inventory.yaml': 'machines: []\n' },
    kubernetesApi: { host: '10.0.0.1', port: 6443 },
    dryRun: true,
    ccm: {
      ...extras,
      ...monitored,
      serviceMonitor: { enabled: true },
      replicas: 1,
      hostNetwork: false,
      extraEnvFrom: [{ secretRef: { name: 'aws' } }],
    },
    agent: {
      ...extras,
      ...monitored,
      podMonitor: { enabled: true },
      cloud: 'static',
      install: { mode: 'install', registries: ['aws'], pods: true, hostBroker: true },
      extraLabels: ['example.com/'],
      image: { digest: `sha256:${'0'.repeat(64)}` },
    },
    prometheusRule: { enabled: true, labels: { release: 'monitoring' } },
    dashboard: { enabled: true, annotations: { grafana_folder: 'Kubernetes' } },
    credentialProvider: { tokenAudiences: ['sts.amazonaws.com', 'api://AzureADTokenExchange'] },
  },
};

await t.test('what is rendered', requires(programs.available ? helm : programs), async (t) => {
  const plane = await controlPlaneFor(t, { parts: ['kube-controller-manager'] });
  for (const definition of monitoringDefinitions) {
    await plane.kubectl(['apply', '--filename', '-'], JSON.stringify(definition));
    await plane.kubectl(['wait', '--for=condition=Established', `crd/${definition.metadata.name}`]);
  }
  for (const [what, values] of Object.entries(variants)) {
    await t.test(`${what} is taken by the API server, to the last field`, async (t) => {
      const manifests = await render(values, monitoringKinds);
      const said = await apply(plane, manifests);
      t.equal(said.match(/serverside-applied/g)?.length, manifests.length);
      t.same(await validationErrors(plane, manifests), []);
    });
  }
});

interface Checked {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly typeChecking?: { readonly expressionWarnings?: readonly unknown[] };
  };
}

/** The controller manager checks the types of each policy and reports mistakes. */
async function validationErrors(plane: ControlPlane, manifests: readonly Manifest[]): Promise<readonly unknown[]> {
  const names = manifests
    .filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
    .map(({ metadata }) => metadata.name);
  const checks = names.map(async (name) => {
    const path = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/${name}`;
    return waitUntil({ what: `${name} is checked`, withinMs: 30_000, everyMs: 100 }, async () => {
      const { metadata, status } = (await plane.ask('GET', path)).body as Checked;
      if (status?.observedGeneration !== metadata.generation) return undefined;
      return status.typeChecking?.expressionWarnings ?? [];
    });
  });
  return (await Promise.all(checks)).flat();
}
