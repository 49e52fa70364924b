import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { createAwsNetwork } from '../../../lab/aws-network.ts';
import { initialAwsState, labIssuer, labUserKey } from '../../../lab/clouds/aws/state.ts';
import { secretMarker } from '../../../lab/clouds/secrets.ts';
import { createTokenSigner } from '../../../lab/clouds/token-signer.ts';
import { requires } from '../../../lab/requires.ts';
import { requestBytes } from '../../../system/programs/provider.ts';
import { ecrCases, ownImage, sharedConfig } from '../../../credential-provider/compat/ecr-cases.ts';
import type { EcrCase } from '../../../credential-provider/compat/ecr-cases.ts';
import { linkProvider } from '../../../system/programs/compat/linked-provider.ts';
import { findPeerProviders, peerSupport } from './peer-programs.ts';
import {
  callProgram,
  compare,
  isGoodFailure,
  summary,
  unexplainedDifferences,
} from '../../../system/programs/compat/side-by-side.ts';
import type { PeerCall } from '../../../system/programs/compat/side-by-side.ts';

const name = 'ecr-credential-provider';

await t.test('in the place of ecr-credential-provider', requires(await peerSupport()), async (t) => {
  const peer = (await findPeerProviders()).programs[name];
  const network = await createAwsNetwork({ regions: ['us-west-2', 'us-east-1'], ipVersions: [4] });
  t.teardown(network.stop);
  const { namespace, aws } = network;
  const links = linkProvider(t, [name]);
  const files = { CREDENTIALS: join(links.directory, 'credentials'), CONFIG: join(links.directory, 'config') };
  const paths = new Map(Object.entries(files));
  const keys = `aws_access_key_id = ${labUserKey.accessKeyId}\naws_secret_access_key = ${labUserKey.secretAccessKey}\n`;
  await writeFile(files.CREDENTIALS, `[lab]\n${keys}`);
  await writeFile(files.CONFIG, sharedConfig.replace('AUTHORITY', network.authorityFile));
  const signer = createTokenSigner('RS256');
  const token = signer.sign({
    iss: labIssuer,
    aud: ['sts.amazonaws.com'],
    sub: 'system:serviceaccount:default:puller',
    exp: Math.floor(Date.now() / 1000) + 3_600,
    jti: secretMarker,
  });

  function witnessOf({ permissions }: EcrCase) {
    const node = initialAwsState().roles['lab-node'];
    return {
      reset: async () => {
        await aws.reset();
        await aws.update({ issuers: { [labIssuer]: { audiences: ['sts.amazonaws.com'], keys: [signer.publicKey] } } });
        if (permissions && node) await aws.update({ roles: { 'lab-node': { ...node, permissions } } });
      },
      asked: async () => (await aws.requests()).map(({ host }) => host).filter((host) => !host.startsWith('169.254.')),
      // Its last part is a name of the session, which is everyone's own.
      lastLoginBy: async () =>
        (await aws.state()).registryLogins.at(-1)?.arn.replace(/(:assumed-role\/[^/]+)\/.*/, '$1'),
    };
  }

  function callFor({ image = ownImage, input, version = 'v1', args, env = {}, pod }: EcrCase): PeerCall {
    const asPod = pod && { token, annotations: pod };
    const written = Object.entries(env).map(([key, value]): [string, string] => [key, paths.get(value) ?? value]);
    const request = requestBytes({ image, ...asPod }).replace('k8s.io/v1', `k8s.io/${version}`);
    return { input: input ?? request, env: Object.fromEntries(written), ...(args && { args }) };
  }

  for (const each of ecrCases) {
    await t.test(each.name, async (t) => {
      const fixture = { namespace, recorder: witnessOf(each) };
      const theirs = await callProgram(peer, callFor(each), fixture);
      const ours = await callProgram(links.path(name), callFor(each), fixture);
      t.strictSame(unexplainedDifferences(compare(theirs, ours), each.improvements ?? []), [], summary(theirs, ours));
      t.equal(ours.succeeded, each.fails !== true);
      if (!ours.succeeded) t.ok(isGoodFailure(ours), ours.stderr);
    });
  }

  await t.test('a login that has passed', async (t) => {
    const usual = witnessOf({ name: '' });
    const witness = {
      ...usual,
      reset: async () => {
        await usual.reset();
        await aws.addFault({ service: 'ecr', kind: 'expired' });
      },
    };
    const call = callFor({ name: '' });
    const theirs = await callProgram(peer, call, { namespace, recorder: witness });
    const ours = await callProgram(links.path(name), call, { namespace, recorder: witness });
    t.strictSame(unexplainedDifferences(compare(theirs, ours), ['passed']), []);
    t.equal(ours.answer?.cacheDuration, '0s');
  });
});
