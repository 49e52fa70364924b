import { Failure } from '../../../lib/failure.ts';
import type { Host } from '../../../lib/host.ts';
import { Secret } from '../../../lib/secret.ts';
import type { Login } from '../../cloud.ts';
import type { StoredLogin } from '../config.ts';

/** Read anew for every login, so that whoever rotates the files need not tell us. */
export async function readStoredLogin(stored: StoredLogin, host: Host): Promise<Login> {
  const [username, password] = await Promise.all([
    readOne(stored.usernameFile, host),
    readOne(stored.passwordFile, host),
  ]);
  return { username, password: new Secret(password), endsWithToken: false };
}

async function readOne(path: string, host: Host): Promise<string> {
  const text = (await host.readText(path))?.trim();
  if (text) return text;
  throw new Failure('misconfigured', `${path} ${text === undefined ? 'does not exist' : 'is empty'}`, {
    remedy: 'write the login into the files that usernameFile and passwordFile name',
  });
}
