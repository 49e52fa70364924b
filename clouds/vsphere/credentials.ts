import { Failure } from '../../lib/failure.ts';
import type { Host } from '../../lib/host.ts';
import { Secret } from '../../lib/secret.ts';
import type { VcenterConfig, VsphereConfig } from '../../schemas/config/vsphere.ts';

export interface VcenterCredentials {
  readonly username: string;
  readonly password: Secret;
}

/** Read for each login, so that rotated files need no restart. */
export async function readCredentials(
  vcenter: VcenterConfig,
  { secretsDirectory }: Pick<VsphereConfig, 'secretsDirectory'>,
  host: Pick<Host, 'readText'>,
): Promise<VcenterCredentials> {
  const inDirectory = (part: string): string | undefined =>
    secretsDirectory === undefined ? undefined : `${secretsDirectory}/${hostName(vcenter.server)}.${part}`;
  const [username, password] = await Promise.all([
    readOne(vcenter.usernameFile ?? inDirectory('username'), vcenter, host),
    readOne(vcenter.passwordFile ?? inDirectory('password'), vcenter, host),
  ]);
  return { username, password: new Secret(password) };
}

/** The keys of the Secret have no port. */
function hostName(server: string): string {
  return new URL(`https://${server}`).hostname;
}

/** A line break at the end, as editors write it, does not belong to a password. Other white space may. */
async function readOne(
  path: string | undefined,
  { name }: VcenterConfig,
  host: Pick<Host, 'readText'>,
): Promise<string> {
  if (path === undefined) {
    throw new Failure('misconfigured', `there are no credentials for the vCenter ${name}`, {
      remedy: 'name their files in usernameFile and passwordFile, or the mounted Secret in vsphere.secretsDirectory',
    });
  }
  const text = (await host.readText(path))?.replace(/\r?\n$/, '');
  if (text) return text;
  throw new Failure('misconfigured', `${path} ${text === undefined ? 'does not exist' : 'is empty'}`, {
    remedy: `write the user name and the password of the account for the vCenter ${name} into their files`,
  });
}
