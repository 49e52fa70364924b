import t from 'tap';
import { clouds } from '../../../clouds/index.ts';
import { findEmulatedProvider } from '../../../credential-provider/compat/find-emulated.ts';
import { runEmulatedProvider } from '../../../credential-provider/compat/run-emulated.ts';
import type { ProviderRuntime } from '../../../credential-provider/runtime.ts';
import { systemClock } from '../../../lib/clock.ts';
import { Failure } from '../../../lib/failure.ts';
import { realHost } from '../../../lib/host.ts';
import { lookAlikeHosts as ofAws } from '../../clouds/aws/look-alike-hosts.ts';
import { lookAlikeHosts as ofAzure } from '../../clouds/azure/look-alike-hosts.ts';
import { lookAlikeHosts as ofGoogle } from '../../clouds/gcp/look-alike-hosts.ts';

/** Hosts of the look-alike lists that do not resemble a registry: the registry's name is only in the path, or absent. */
const unrelatedImages =
  /^(?:evil\.example(?::443)?|\/?|acme|library|constructor|hasOwnProperty|toString|__proto__)\/|^constructor\.example|^docker\.s3nsregistry\.fr|^[^/]*$/;

const runtime: ProviderRuntime = {
  env: { AWS_REGION: 'us-west-2', AWS_EC2_METADATA_SERVICE_ENDPOINT: 'no address' },
  host: { ...realHost, readText: async () => undefined },
  clock: { ...systemClock, sleep: async () => new Promise(() => {}) },
  random: () => 0.5,
  clouds,
  openHttp: () => ({ send: async () => Promise.reject(new Failure('denied', 'asked', { remedy: 'none' })) }),
  writeStep: () => {},
};

await t.test('no host that resembles a registry gets a login, under any name of the program', async (t) => {
  const images = [...ofAws, ...ofAzure, ...ofGoogle].filter((image) => !unrelatedImages.test(image));
  t.ok(images.length > 250);
  for (const name of ['ecr-credential-provider', 'auth-provider-gcp']) {
    const served: string[] = [];
    for (const image of images) if (await isServed(name, image)) served.push(image);
    t.strictSame(
      served,
      name === 'auth-provider-gcp' ? ['container.cloud.google.com/project/repository/app'] : [],
      name,
    );
  }
});

const others = [
  'ecr.aws.evil.com',
  'gcr.evil.com',
  'eu.gcr.evil.com',
  'gcrio.evil.com',
  'evil-gcr.com',
  'azure.evil.com',
  'amaz0naws.com',
  'instance-data.ec2.internal',
  '168.63.129.16',
  '100.100.100.200',
  '0.0.0.0',
  '0251.0376.0251.0376',
];
await t.test('nor does a host with a similar name or a local address', async (t) => {
  for (const host of others) {
    for (const name of ['ecr-credential-provider', 'auth-provider-gcp']) {
      t.notOk(await isServed(name, `${host}/app`), host);
    }
  }
});

await t.test('mirrors get a login, also if their names contain a part of a cloud’s name', async (t) => {
  const mirrors = ['ecr.corp.example', 'secrets.example', 'gcr-mirror.example', 'packages.example', 'garage.example'];
  for (const mirror of mirrors) {
    t.ok(await isServed('ecr-credential-provider', `${mirror}/app`), mirror);
    if (!mirror.startsWith('gcr')) t.ok(await isServed('auth-provider-gcp', `${mirror}:5000/app`), mirror);
  }
});

await t.test('auth-provider-gcp serves every host below gcr.io', async (t) => {
  for (const host of ['gke.gcr.io', 'us-east1-artifactregistry.gcr.io', 'k8s.gcr.io']) {
    t.ok(await isServed('auth-provider-gcp', `${host}/project/app`), host);
  }
  for (const host of ['gke.gcr.io.evil.com', 'evilgcr.io', 'gke.evilgcr.io']) {
    t.notOk(await isServed('auth-provider-gcp', `${host}/project/app`), host);
  }
});

await t.test('an emulated provider leaves the registries of other clouds to them', async (t) => {
  t.notOk(await isServed('ecr-credential-provider', 'us-west1-docker.pkg.dev/project/repository/app'));
  t.notOk(await isServed('auth-provider-gcp', 'public.ecr.aws/app'));
});

/** Would a login be requested? */
async function isServed(name: string, image: string): Promise<boolean> {
  const load = findEmulatedProvider(name);
  if (load === undefined) throw new Error(`${name} is no name of another program`);
  const request = { apiVersion: 'credentialprovider.kubelet.k8s.io/v1', kind: 'CredentialProviderRequest', image };
  const invocation = {
    args: ['get-credentials'],
    startedAtMs: systemClock.monotonicMs(),
    readRequest: async () => JSON.stringify(request),
  };
  const { exitCode, stdout } = await runEmulatedProvider(await load(), invocation, runtime);
  if (exitCode === 0) return Object.keys((JSON.parse(stdout) as { readonly auth: object }).auth).length > 0;
  return true;
}
