import t from 'tap';
import { labIssuer } from '../../../lab/clouds/aws/state.ts';
import { requires } from '../../../lab/requires.ts';
import { createSigningCluster } from '../../../node-agent/broker/tokens/signing-cluster.ts';
import { frontSupport } from './fixture.ts';
import { createWarmNode, passwordOf } from './warm-node.ts';

const image = '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app';
const cluster = createSigningCluster('RS256', labIssuer);
const forger = createSigningCluster('RS256', labIssuer);
const accounts = ['reader', 'writer'] as const;
const expiresAtMs = Date.now() + 3_600_000;
const annotationsOf = (role: string) => ({ 'eks.amazonaws.com/role-arn': `arn:aws:iam::123456789012:role/${role}` });

await t.test('pods, with a cloud that checks their tokens', requires(await frontSupport()), async (t) => {
  const node = await createWarmNode();
  t.teardown(node.stop);
  const { aws } = node.network;
  const permissions = (await aws.state()).roles['lab-pod']?.permissions ?? [];
  t.beforeEach(async () => {
    await aws.reset();
    await aws.update({
      issuers: { [labIssuer]: { audiences: ['sts.amazonaws.com'], keys: [cluster.signer.publicKey] } },
      roles: Object.fromEntries(
        accounts.map((name) => [
          name,
          {
            id: `AROALAB${name.toUpperCase()}0000000`,
            permissions,
            trustedArns: [],
            webIdentities: [{ issuer: labIssuer, subjects: [`system:serviceaccount:default:${name}`] }],
          },
        ]),
      ),
    });
    await node.broker.send({ restart: true, cluster: cluster.documents });
  });
  const asked = async (token: string, role: string): Promise<string> =>
    passwordOf(await node.ask({ image, token, annotations: annotationsOf(role) }));

  await t.test('two service accounts and the node request the same image at the same time', async (t) => {
    const tokens = accounts.map((serviceAccount) => cluster.sign({ serviceAccount, expiresAtMs }));
    const [reader, writer, own] = await Promise.all([
      ...accounts.map((name, index) => asked(tokens[index] ?? '', name)),
      node.ask({ image }).then(passwordOf),
    ]);
    const issued = (await aws.state()).registryLogins;
    const arnOf = (password: string | undefined): string | undefined =>
      issued.find((login) => login.password === password)?.arn;
    t.match(arnOf(reader), /assumed-role\/reader\//);
    t.match(arnOf(writer), /assumed-role\/writer\//);
    t.match(arnOf(own), /assumed-role\/lab-node\//);
    t.equal(await node.logins(), 3);
    t.equal(await asked(tokens[0] ?? '', 'reader'), reader, 'and each gets its own again');
    t.equal(await node.logins(), 3);
  });

  await t.test('twenty pods of one service account cost one login', async (t) => {
    const pods = Array.from({ length: 20 }, (_, id) =>
      cluster.sign({ serviceAccount: 'reader', expiresAtMs, id: `pod ${id}` }),
    );
    const passwords = await Promise.all(pods.map((token) => asked(token, 'reader')));
    t.equal(new Set(passwords).size, 1);
    t.match(passwords[0], /^eyJ/);
    t.equal(await node.logins(), 1);
  });

  await t.test('an invalid token gets no cached login', async (t) => {
    const token = cluster.sign({ serviceAccount: 'reader', expiresAtMs });
    const password = await asked(token, 'reader');
    t.match(password, /^eyJ/);
    const bad: Readonly<Record<string, string>> = {
      'forged, with the claims of the good one': forger.sign({ serviceAccount: 'reader', expiresAtMs }),
      'over since a while': cluster.sign({ serviceAccount: 'reader', expiresAtMs: Date.now() - 60_000 }),
      'for another audience': cluster.sign({ serviceAccount: 'reader', expiresAtMs, audience: 'elsewhere' }),
    };
    for (const [what, other] of Object.entries(bad)) {
      const result = await node.ask({ image, token: other, annotations: annotationsOf('reader') });
      t.match(result, { code: 1, stdout: '', stderr: /; hint: / }, what);
    }
    const other = cluster.sign({ serviceAccount: 'writer', expiresAtMs });
    t.not(await asked(other, 'reader'), password, 'another service account is not given the role’s login');
    t.equal(await node.logins(), 1);
  });
});
