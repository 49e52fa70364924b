import t from 'tap';
import { computeFleetOf } from '../../../lab/clouds/gcp/compute-instance.ts';
import type { ComputeInstance } from '../../../lab/clouds/gcp/compute-instance.ts';
import { getInstances, listInstances, nodeAccount, podAccount } from '../../../lab/clouds/gcp/state.ts';
import { lookUp, nodeOf, startComputeLab } from '../compute-lab.ts';
import { clusterToken, externalFile, keyFile, trustFiles } from '../credential-files.ts';

// With each kind of credentials that the controller can have, one look-up is made, and it is done as the right member.
const { lab, instances: create, context } = await startComputeLab(t);
const fleet = computeFleetOf({ count: 1, project: 'lab-project', zones: ['us-central1-a'], number: 0 });
const [instance] = Object.values(fleet) as [ComputeInstance];
const path = '/etc/google/credentials.json';
const tokenPath = '/var/run/token';
const projects = [{ name: 'prod', projectId: 'lab-project' }];
const principal =
  'principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/lab/subject/system:serviceaccount:default:puller';
const permissions = [getInstances, listInstances];

t.beforeEach(async () => {
  await lab.reset();
  await trustFiles(lab);
  const account = (await lab.state()).serviceAccounts[podAccount];
  if (account === undefined) throw new Error('the lab has changed');
  await lab.update({
    computeInstances: fleet,
    principals: { [principal]: { permissions } },
    serviceAccounts: { [podAccount]: { ...account, permissions } },
  });
});

/** Whose token the requests to Compute Engine had. */
async function members(): Promise<ReadonlySet<string | undefined>> {
  const { accessTokens } = await lab.state();
  const requests = (await lab.requests()).filter(({ service }) => service === 'compute');
  return new Set(
    requests.map(({ headers }) => accessTokens[(headers['authorization'] ?? '').replace('Bearer ', '')]?.member),
  );
}

const withFile = (file: object, others: Readonly<Record<string, string>> = {}) => ({
  env: { GOOGLE_APPLICATION_CREDENTIALS: path },
  files: { [path]: JSON.stringify(file), ...others },
});
const impersonating = {
  ...externalFile,
  service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${podAccount}:generateAccessToken`,
};
const kinds = {
  'the service account of the instance': { machine: undefined, member: `serviceAccount:${nodeAccount}` },
  'a key file': { machine: withFile(keyFile), member: `serviceAccount:${nodeAccount}` },
  'workload identity federation': {
    machine: withFile(externalFile, { [tokenPath]: clusterToken() }),
    member: principal,
  },
  'workload identity federation and a service account': {
    machine: withFile(impersonating, { [tokenPath]: clusterToken() }),
    member: `serviceAccount:${podAccount}`,
  },
};
for (const [what, { machine, member }] of Object.entries(kinds)) {
  await t.test(`${what} is enough for a look-up and for the check of access`, async (t) => {
    const instances = create({ projects }, machine);
    const scope = { cloud: 'gcp', key: 'gcp/prod' };
    const nodes = [nodeOf(instance)];
    const results = await instances.lookUp(scope, { nodes, verify: [] }, context());
    t.match([...results.values()], [{ status: 'running', by: 'id', instance: { instanceId: instance.id } }]);
    t.equal(await instances.verifyAccess(scope, context()), true);
    t.strictSame([...(await members())], [member]);
    const isMetadataAsked = (await lab.requests()).some(({ service }) => service === 'metadata');
    t.equal(isMetadataAsked, machine === undefined, 'a file is enough, also elsewhere than on Google');
  });
}

await t.test('a token file that is replaced is read again when the access token ends', async (t) => {
  let text = 'not yet a token';
  const files = {
    [path]: JSON.stringify(externalFile),
    get [tokenPath]() {
      return text;
    },
  };
  const instances = create({}, { env: { GOOGLE_APPLICATION_CREDENTIALS: path }, files });
  await t.rejects(lookUp(instances, [nodeOf(instance)], context()), { name: 'Failure', remedy: /./ });
  text = clusterToken();
  t.match(await lookUp(instances, [nodeOf(instance)], context()), [{ status: 'running' }]);
});

await t.test('elsewhere than on Google the project has to be named, and the failure says so', async (t) => {
  await lab.addFault({ service: 'metadata', kind: 'refuse' });
  const machine = withFile(keyFile);
  const real = context();
  const hasty = { ...real, clock: { ...real.clock, sleep: async () => Promise.resolve() } };
  await t.rejects(lookUp(create({}, machine), [nodeOf(instance)], hasty), {
    kind: 'unavailable',
    message: /^the project of the nodes is not known: /,
    remedy: /gcp\.projects .* GOOGLE_CLOUD_PROJECT/,
  });
  const env = { ...machine.env, GOOGLE_CLOUD_PROJECT: 'lab-project' };
  t.match(await lookUp(create({}, { ...machine, env }), [nodeOf(instance)], hasty), [{ status: 'running' }]);
});
