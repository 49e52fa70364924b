import t from 'tap';
import { aws } from '../clouds/aws/cloud.ts';
import { labIssuer } from '../clouds/aws/state.ts';
import { runOnLoopback } from '../clouds/loopback.ts';
import { createTokenSigner } from '../clouds/token-signer.ts';
import { needing } from '../needing.ts';
import { askAll } from './answers.ts';
import type { Difference } from './differences.ts';
import { findDifferences } from './differences.ts';
import { installMoto } from './install.ts';
import { knownDifferences } from './known-differences.ts';
import { startMoto } from './server.ts';

const installation = await installMoto();

await t.test('the answers differ from moto’s in the known ways and in no other', needing(installation), async (t) => {
  const moto = await startMoto(installation.python);
  t.teardown(moto.stop);
  const lab = await runOnLoopback(aws, { plain: ['imds'] });
  t.teardown(lab.stop);
  const signer = createTokenSigner('RS256');
  await lab.update({ issuers: { [labIssuer]: { audiences: ['sts.amazonaws.com'], keys: [signer.publicKey] } } });
  const webIdentityToken = signer.sign({
    iss: labIssuer,
    aud: 'sts.amazonaws.com',
    sub: 'system:serviceaccount:default:puller',
    exp: Math.floor(Date.now() / 1000) + 600,
  });

  const ours = await askAll({ ecrUrl: lab.url('ecr'), stsUrl: lab.url('sts'), webIdentityToken });
  const motos = await askAll({ ecrUrl: moto.url, stsUrl: moto.url, webIdentityToken });

  const known = knownDifferences.map(({ reason: _reason, ...difference }) => difference);
  t.same(sorted(findDifferences(ours, motos)), sorted(known));
});

function sorted(differences: readonly Difference[]): readonly Difference[] {
  return differences.toSorted((a, b) => `${a.operation} ${a.path}`.localeCompare(`${b.operation} ${b.path}`));
}
