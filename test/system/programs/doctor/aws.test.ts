import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { projectDirectory } from '../../../../build/project.ts';
import { createAwsNetwork } from '../../../lab/aws-network.ts';
import { labIssuer } from '../../../lab/clouds/aws/state.ts';
import type { Role } from '../../../lab/clouds/aws/state.ts';
import type { Fault } from '../../../lab/clouds/faults.ts';
import { secretMarker } from '../../../lab/clouds/secrets.ts';
import { createTokenSigner } from '../../../lab/clouds/token-signer.ts';
import { requires } from '../../../lab/requires.ts';
import { namespaceSupport } from '../../../lab/network/support.ts';
import { runDoctor } from './run-doctor.ts';
import type { Diagnosis, DoctorRun } from './run-doctor.ts';
import { kubeletWith, podTokens } from './kubelet-files.ts';
import type { EntryChanges } from './kubelet-files.ts';

const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app:1';
const role = 'arn:aws:iam::123456789012:role/lab-pod';
const roleWithout: Role = { id: 'AROALABNODE0000000000', permissions: [], trustedArns: [], webIdentities: [] };
const aboutAll = ['kubelet', 'configuration', 'registry', 'identity', 'step', 'step', 'login', 'answer', 'broker'];

const guide = readFileSync(join(projectDirectory, 'docs/guides/check-a-node.md'), 'utf8');

/** Without the values that differ in each run. */
function lasting(text: string): string {
  return text
    .replace(/ +[\d.]+ ms/g, ' N ms')
    .replace(/process \d+/, 'process N')
    .replace(/(?<before>by|asked:) \/.*\//g, '$<before> /')
    .replace('5h59m59s', '6h0m0s')
    .replace('11h59m59s', '12h0m0s');
}

await t.test('doctor on AWS, at production addresses and names', requires(await namespaceSupport()), async (t) => {
  const network = await createAwsNetwork({ regions: ['us-west-2'], ipVersions: [4] });
  t.teardown(network.stop);
  const { namespace, aws } = network;
  const signer = createTokenSigner('RS256');
  t.beforeEach(async () => {
    await aws.reset();
    await aws.update({ issuers: { [labIssuer]: { audiences: ['sts.amazonaws.com'], keys: [signer.publicKey] } } });
  });
  function see(visit: DoctorRun, of = image): Promise<Diagnosis> {
    return runDoctor(namespace, of, visit);
  }
  function writeToken(directory: string): string {
    const file = join(directory, 'token');
    const exp = Math.floor(Date.now() / 1000) + 3_600;
    const claims = { iss: labIssuer, aud: ['sts.amazonaws.com'], sub: 'system:serviceaccount:default:puller', exp };
    writeFileSync(file, `${signer.sign({ ...claims, jti: secretMarker })}\n`);
    return file;
  }

  await t.test('success: each step with its time', async (t) => {
    const { code, text, report } = await see({ kubelet: kubeletWith(t.testdir(), {}) });
    t.equal(code, 0, text);
    t.strictSame(
      report.checks.map(({ about }) => about),
      aboutAll,
    );
    t.ok(report.checks.every(({ outcome, tookMs }) => outcome === 'ok' && tookMs >= 0));
    t.match(report, { ok: true, image: image.replace(':1', '') });
    t.equal(lasting(text), lasting(guide.split('```text\n')[1]?.split('```')[0] ?? ''), 'as the guide shows it');
    t.match(text, /asked at api\.ecr\.us-west-2\.amazonaws\.com\n/);
    t.match(text, / ms {2}ecr:GetAuthorizationToken at api\.ecr/);
    t.match(text, /user AWS, valid for 1[12]h/);
    t.match(
      text,
      /the kubelet keeps it for (?:5h59m5\ds|6h0m0s), for each registry\n.* not asked: .*\n.*: the kubelet gets a login for it\n$/,
    );
  });

  await t.test('the times are those of the steps', async (t) => {
    await aws.addFault({ service: 'imds', kind: 'delay', delayMs: 150 });
    const { report } = await see({});
    t.ok(report.checks.filter(({ said }) => said.includes('metadata')).every(({ tookMs }) => tookMs >= 300));
  });

  await t.test('the environment is the kubelet’s and the entry’s, not that of doctor', async (t) => {
    const wrong = { AWS_REGION: 'us-west-2', AWS_PROFILE: 'ours' };
    const kubelet = kubeletWith(t.testdir(), { env: [{ name: 'AWS_PROFILE', value: 'entry' }] });
    const { text } = await see({ env: wrong, kubelet: { ...kubelet, env: { AWS_PROFILE: 'kubelet' } } });
    t.match(text, /there is no profile entry in the shared AWS/);
    const plain = await see({
      kubelet: { ...kubeletWith(t.testdir({ again: {} }), {}), env: { AWS_PROFILE: 'kubelet' } },
    });
    t.match(plain.text, /there is no profile kubelet/);
  });

  await t.test('an entry with the name of another provider is emulated', async (t) => {
    const kubelet = kubeletWith(t.testdir(), { name: 'ecr-credential-provider', matchImages: ['mirror.example'] });
    const { text, code } = await see(
      { kubelet: { ...kubelet, env: { AWS_REGION: 'us-west-2' } } },
      'mirror.example/app',
    );
    t.equal(code, 0, text);
    t.match(text, /ecr of aws for mirror\.example, asked at api\.ecr\.us-west-2/);
  });

  await t.test('a pod, with the annotations that the kubelet sends', async (t) => {
    const directory = t.testdir();
    const args = ['--token-file', writeToken(directory), '--annotations', `eks.amazonaws.com/role-arn=${role},other=x`];
    const { text, code } = await see({ args, kubelet: kubeletWith(directory, {}, podTokens) });
    t.equal(code, 0, text);
    t.match(text, /calls polycloud-credential-provider-aws-pod by .* with the pod's token/);
    t.match(text, /!\s+kubelet.* the annotation other is not sent/);
    t.match(text, /sts:AssumeRoleWithWebIdentity at sts\.us-west-2\.amazonaws\.com/);
  });

  await t.test('a public image needs no login', async (t) => {
    const { text, code, report } = await see({ kubelet: kubeletWith(t.testdir(), {}) }, 'nginx');
    t.equal(code, 0, text);
    t.match(report, { ok: true, result: 'no-login-needed', image: 'docker.io/library/nginx' });
    t.match(report.checks.at(-1), { code: 'public-image', outcome: 'ok' });
    t.match(text, /docker\.io\/library\/nginx: the kubelet needs no login for it if the image is public\n$/);
  });

  interface Trouble {
    readonly name: string;
    readonly says: RegExp;
    readonly mends: RegExp;
    readonly image?: string;
    readonly fault?: Fault;
    readonly wish?: EntryChanges;
    readonly state?: Parameters<typeof aws.update>[0];
    readonly pod?: string;
    readonly env?: Readonly<Record<string, string>>;
  }
  const troubles: readonly Trouble[] = [
    {
      name: 'the instance has no role',
      state: { instance: { roleName: null } },
      says: /metadata service: this instance has no IAM role/,
      mends: /attach an instance profile/,
    },
    {
      name: 'the role is denied',
      state: { roles: { 'lab-node': roleWithout } },
      says: /denied ecr:GetAuthorizationToken to arn:aws:sts::123456789012:assumed-role\/lab-node/,
      mends: /allow ecr:GetAuthorizationToken on \*/,
    },
    {
      name: 'no metadata service',
      fault: { service: 'imds', kind: 'refuse' },
      says: /169\.254\.169\.254: the connection was refused/,
      mends: /HttpEndpoint enabled, and a hop limit of 2/,
    },
    {
      name: 'the metadata service is disabled, or too many hops away',
      fault: { service: 'imds', kind: 'status', status: 403 },
      says: /the instance metadata service refused a version 2 session \(HTTP 403\)/,
      mends: /a hop limit of 2/,
    },
    {
      name: 'the host is misspelt',
      image: '123456789012.dkr.ecr.us-west2.amazonaws.com/app',
      says: /the host is not a known registry/,
      mends: /check its spelling/,
    },
    {
      name: 'the account id is short',
      image: '12345678901.dkr.ecr.us-west-2.amazonaws.com/app',
      says: /an AWS account id has twelve digits/,
      mends: /correct the account id/,
    },
    {
      name: 'the host is not in matchImages',
      wish: { matchImages: ['public.ecr.aws'] },
      says: /no entry of .*credential-providers\.yaml matches this image/,
      mends: /add the host to matchImages/,
    },
    {
      name: 'the kubelet’s configuration is broken',
      wish: { defaultCacheDuration: 'soon' },
      says: /would not start again with its configuration, .*yaml:11: "soon" is not a duration/,
      mends: /write a Go duration in quotes/,
    },
    {
      name: 'the node’s clock is wrong',
      fault: { service: 'ecr', kind: 'clock', aheadMs: 20 * 60_000 },
      says: /this node's clock is 20 minutes behind AWS's/,
      mends: /^$/,
    },
    {
      name: 'the authority is not trusted',
      env: { SSL_CERT_FILE: '/dev/null' },
      says: /signed by an authority that this node does not trust/,
      mends: /caFile|authority/,
    },
    {
      name: 'throttled for a long time',
      fault: { service: 'ecr', kind: 'throttle', retryAfterS: 120 },
      says: /throttles ecr:GetAuthorizationToken, asking to wait 120 s/,
      mends: /raise the quota/,
    },
    {
      name: 'a pod without the annotation',
      pod: 'eks.amazonaws.com/ecr-role-arn=x',
      wish: podTokens,
      says: /is not called for a service account without the annotation eks\.amazonaws\.com\/role-arn/,
      mends: /annotate the service account with eks\.amazonaws\.com\/role-arn/,
    },
    {
      name: 'a pod without an entry for tokens',
      pod: `eks.amazonaws.com/role-arn=${role}`,
      says: /no entry for this image uses the pod's token/,
      mends: /config print --pods/,
    },
  ];
  for (const { name, says, mends, image: of = image, fault, wish = {}, state, pod, env = {} } of troubles) {
    await t.test(`${name}: reported, with a hint`, async (t) => {
      if (fault) await aws.addFault(fault);
      if (state) await aws.update(state);
      const directory = t.testdir();
      const args = pod === undefined ? [] : ['--token-file', writeToken(directory), '--annotations', pod];
      const { code, text, report } = await see({ args, kubelet: { ...kubeletWith(directory, wish), env } }, of);
      const check = report.checks.findLast(({ said }) => says.test(said));
      t.ok(check, text);
      t.match(check?.remedy ?? '', mends);
      t.equal(code, check?.outcome === 'failed' ? 1 : 0, text);
    });
  }
});
