import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { readRssAnonKb } from '../../../bench/harness/process-usage.ts';
import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import { createAwsNetwork } from '../../lab/aws-network.ts';
import type { AwsNetwork } from '../../lab/aws-network.ts';
import { labIssuer } from '../../lab/clouds/aws/state.ts';
import { secretMarker } from '../../lab/clouds/secrets.ts';
import { createTokenSigner } from '../../lab/clouds/token-signer.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { requires } from '../../lab/requires.ts';
import { namespaceSupport } from '../../lab/network/support.ts';
import { requestBytes } from '../../system/programs/provider.ts';

const tokens = 6_000;
const atOnce = 200;
const longestMs = 3_000;
const mostRssAnonKb = 96_000;
const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app';
const roles = Array.from({ length: 10 }, (_, index) => `pod-${String(index)}`);
const signer = createTokenSigner('ES256');

t.setTimeout(400_000);

const kubeconfig = `
apiVersion: v1
kind: Config
clusters: [{ name: away, cluster: { server: 'http://127.0.0.1:1' } }]
users: [{ name: us, user: { token: none } }]
contexts: [{ name: us, context: { cluster: away, user: us } }]
current-context: us
`;

/** The built agent, in front of an AWS that checks each token. */
await t.test(
  `${tokens} pods with tokens of their own, ${atOnce} at once`,
  requires(await namespaceSupport()),
  async (t) => {
    const network = await createAwsNetwork({ regions: ['us-west-2'], ipVersions: [4] });
    t.teardown(network.stop);
    await trustPods(network);
    const { socketPath, pid } = await startAgent(t, network);
    const passwords = new Map<string, string>();
    const seen = { answer: 0, decline: 0, slowestMs: 0, rssAnonKb: 0 };
    let next = 0;

    async function askOneAfterAnother(): Promise<void> {
      for (let pod = next++; pod < tokens; pod = next++) {
        const role = roles[pod % roles.length] ?? '';
        const startMs = performance.now();
        const reply = await askBroker(socketPath, requestOf(pod, role));
        seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startMs);
        if (pod % 50 === 0) seen.rssAnonKb = Math.max(seen.rssAnonKb, readRssAnonKb(pid));
        const [, outcome, text = ''] = reply.split('\n');
        if (outcome !== 'answer' && outcome !== 'decline') throw new Error(`not foreseen: ${reply.slice(0, 300)}`);
        seen[outcome] += 1;
        if (outcome === 'answer') remember(passwordIn(text), role);
      }
    }

    function remember(password: string, role: string): void {
      if (passwords.has(password)) throw new Error('two tokens got the same login');
      passwords.set(password, role);
    }

    await Promise.all(Array.from({ length: atOnce }, askOneAfterAnother));
    t.equal(seen.answer + seen.decline, tokens);
    t.ok(seen.answer >= atOnce, 'some are served');
    const took = `the slowest took ${Math.round(seen.slowestMs)} ms`;
    // If other work keeps the processors busy, the time means nothing for the agent.
    if ((loadavg()[0] ?? 0) > 2 * availableParallelism()) t.comment(took);
    else t.ok(seen.slowestMs < longestMs, took);
    t.ok(seen.rssAnonKb > 0 && seen.rssAnonKb < mostRssAnonKb, `${seen.rssAnonKb} KB`);
    const issued = new Map((await network.aws.state()).registryLogins.map(({ password, arn }) => [password, arn]));
    const strangers = [...passwords].filter(([password, role]) => !issued.get(password)?.includes(`/${role}/`));
    t.equal(strangers.length, 0, 'each login is of the role of the pod that got it');
  },
);

async function trustPods({ aws }: AwsNetwork): Promise<void> {
  const permissions = (await aws.state()).roles['lab-pod']?.permissions ?? [];
  await aws.update({
    issuers: { [labIssuer]: { audiences: ['sts.amazonaws.com'], keys: [signer.publicKey] } },
    roles: Object.fromEntries(
      roles.map((name, index) => [
        name,
        {
          id: `AROALABPOD${String(index)}00000000`,
          permissions,
          trustedArns: [],
          webIdentities: [{ issuer: labIssuer, subjects: [`system:serviceaccount:default:${name}`] }],
        },
      ]),
    ),
  });
}

/** Its API server is away: it neither keeps a Node nor checks tokens, so that each token is AWS's to judge. */
async function startAgent(
  t: Test,
  { namespace }: AwsNetwork,
): Promise<{ readonly socketPath: string; readonly pid: number }> {
  // The path of a socket must be short.
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-pods-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const socketPath = join(directory, 'run', 'broker.sock');
  await mkdir(join(directory, 'run'), { mode: 0o700 });
  await writeFile(join(directory, 'kubeconfig'), kubeconfig);
  const agent = namespace.start(
    executablePath('polycloud-node-agent', hostArchitecture()),
    [
      '--kubeconfig',
      join(directory, 'kubeconfig'),
      '--cloud',
      'aws',
      '--secure-port',
      '0',
      '--broker-socket',
      socketPath,
      '--status-socket',
      join(directory, 'run', 'status.sock'),
    ],
    { NODE_NAME: 'node' },
  );
  agent.stdout.resume();
  agent.stderr.resume();
  const answers = (): Promise<true | undefined> =>
    askBroker(socketPath, requestBytes({ image: 'quay.io/a/b' })).then(
      () => true,
      () => undefined,
    );
  await waitUntil({ what: 'the broker answers', withinMs: 20_000, everyMs: 50 }, answers);
  return { socketPath, pid: agent.pid ?? 0 };
}

function requestOf(pod: number, role: string): string {
  const token = signer.sign({
    iss: labIssuer,
    aud: ['sts.amazonaws.com'],
    sub: `system:serviceaccount:default:${role}`,
    exp: Math.floor(Date.now() / 1_000) + 3_600,
    jti: `${secretMarker}-${String(pod)}`,
  });
  const annotations = { 'eks.amazonaws.com/role-arn': `arn:aws:iam::123456789012:role/${role}` };
  return requestBytes({ image, token, annotations });
}

/** As the front end asks. */
function askBroker(socketPath: string, request: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = createConnection(socketPath);
  let reply = '';
  socket.setEncoding('utf8');
  socket.on('data', (part: string) => (reply += part));
  socket.on('error', reject);
  socket.on('close', () => resolve(reply));
  socket.end(`polycloud/2 polycloud-credential-provider\n${request}`);
  return promise;
}

function passwordIn(text: string): string {
  const { auth } = JSON.parse(text) as { readonly auth: Record<string, { readonly password: string }> };
  const [login] = Object.values(auth);
  if (login === undefined) throw new Error('an answer without a login');
  return login.password;
}
