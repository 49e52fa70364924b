import { mayPull } from '../../../lab/clouds/gcp/registry.ts';
import type { PublicKey } from '../../../lab/clouds/signed-token.ts';
import type { Namespace } from '../../../lab/network/namespace.ts';
import type { Clouds } from './trust.ts';

export interface PasswordLogin {
  readonly username: string;
  readonly password: string;
}

/** Does its registry accept it? */
export async function isAccepted(login: PasswordLogin | undefined, { aws, azure, gcp }: Clouds): Promise<boolean> {
  if (login === undefined) return false;
  const given = [...(await aws.state()).registryLogins, ...(await azure.state()).registryLogins];
  return given.some(({ password }) => password === login.password) || mayPull(login, await gcp.state(), Date.now());
}

/** As Entra publishes them: they exist only in its process. */
export async function entraKeys(namespace: Namespace): Promise<readonly PublicKey[]> {
  const script = `fetch('https://login.microsoftonline.com/common/discovery/v2.0/keys').then((answer) => answer.text()).then(console.log)`;
  const { stdout, stderr } = await namespace.run(process.execPath, ['--use-system-ca', '-e', script], {
    env: {},
    input: '',
    timeoutMs: 20_000,
  });
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { readonly keys: readonly PublicKey[] }).keys;
}
