import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { createAzureNetwork } from '../../../lab/azure-network.ts';
import {
  exchangeAudience,
  labIssuer,
  labTenant,
  objectIdOf,
  podSubject,
  systemIdentity,
} from '../../../lab/clouds/azure/state.ts';
import { secretMarker } from '../../../lab/clouds/secrets.ts';
import { createTokenSigner } from '../../../lab/clouds/token-signer.ts';
import { requires } from '../../../lab/requires.ts';
import { requestBytes } from '../../../system/programs/provider.ts';
import { acrCases, usualFile } from '../../../credential-provider/compat/acr-cases.ts';
import type { AcrCase } from '../../../credential-provider/compat/acr-cases.ts';
import { linkProvider } from '../../../system/programs/compat/linked-provider.ts';
import { findPeerProviders, peerSupport } from './peer-programs.ts';
import {
  callProgram,
  compare,
  isGoodFailure,
  summary,
  unexplainedDifferences,
} from '../../../system/programs/compat/side-by-side.ts';
import type { PeerCall, PeerResult, CloudRecorder } from '../../../system/programs/compat/side-by-side.ts';

const name = 'acr-credential-provider';
const region = 'acme.westeurope.geo.azurecr.io';

const checkEnd: Readonly<Record<NonNullable<AcrCase['ends']> | 'with a login', (t: Test, ending: PeerResult) => void>> =
  {
    'with a login': (t, { succeeded, stderr }) => t.ok(succeeded, stderr),
    'with a failure': (t, ending) => t.ok(isGoodFailure(ending), ending.stderr),
    'with nothing': (t, { answer }) => t.match(answer, { cacheDuration: '0s', auth: {} }),
  };

await t.test('in the place of acr-credential-provider', requires(await peerSupport()), async (t) => {
  const peer = (await findPeerProviders()).programs[name];
  const network = await createAzureNetwork({ registries: [region], authorities: [], ipVersions: [4] });
  t.teardown(network.stop);
  const { namespace, azure } = network;
  const links = linkProvider(t, [name]);
  const file = join(links.directory, 'azure.json');
  const signer = createTokenSigner('RS256');
  const token = signer.sign({
    iss: labIssuer,
    aud: [exchangeAudience],
    sub: podSubject,
    exp: Math.floor(Date.now() / 1000) + 3_600,
    jti: secretMarker,
  });

  function witnessOf({ fault, realm }: AcrCase): CloudRecorder {
    return {
      reset: async () => {
        await azure.reset();
        await azure.update({ issuers: { [labIssuer]: { keys: [signer.publicKey] } } });
        if (realm) {
          await azure.update({ registries: { 'acme.azurecr.io': { tenantId: labTenant, pullers: [], realm } } });
        }
        if (fault) await azure.addFault(fault);
      },
      asked: async () =>
        (await azure.requests()).map(({ host }) => host).filter((host) => !host.startsWith('169.254.')),
      lastLoginBy: async () => (await azure.state()).registryLogins.at(-1)?.objectId,
    };
  }

  function callFor({
    image = 'acme.azurecr.io/team/app',
    version = 'v1',
    args = [],
    env = {},
    pod,
  }: AcrCase): PeerCall {
    const asPod = pod && { token, annotations: pod };
    const input = requestBytes({ image, ...asPod }).replace('k8s.io/v1', `k8s.io/${version}`);
    return { input, env, args: [...args, file] };
  }

  for (const each of acrCases) {
    await t.test(each.name, async (t) => {
      const { ends, improvements = [] } = each;
      writeFile(file, each);
      const fixture = { namespace, recorder: witnessOf(each) };
      const theirs = await callProgram(peer, callFor(each), fixture);
      const ours = await callProgram(links.path(name), callFor(each), fixture);
      const found = compare(theirs, withoutHaste(ours, theirs));
      const kept = found.includes('cacheDuration') && ends === undefined ? (['cache'] as const) : [];
      t.strictSame(unexplainedDifferences(found, [...kept, ...improvements]), [], summary(theirs, ours));
      checkEnd[ends ?? 'with a login'](t, ours);
      t.equal(ours.as, identityIn(each));
    });
  }
});

/**
 * Ours asks the registry who it is, with no login, while the token is under way: where there is to be no token, that question
 * may or may not have gone out by then.
 */
function withoutHaste(ours: PeerResult, theirs: PeerResult): PeerResult {
  const isHaste = !ours.succeeded && !theirs.succeeded && theirs.asked.length === 0;
  return isHaste ? { ...ours, asked: ours.asked.filter((host) => host !== 'acme.azurecr.io') } : ours;
}

function writeFile(path: string, { file = usualFile }: AcrCase): void {
  if (file === null) rmSync(path);
  else writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file));
}

/** With the secret of azure.json, no login at the registry is needed. */
function identityIn({ as, ends, improvements = [] }: AcrCase): string | undefined {
  if (as !== undefined) return objectIdOf(as);
  return ends !== undefined || improvements.includes('principalKeys') ? undefined : objectIdOf(systemIdentity);
}
