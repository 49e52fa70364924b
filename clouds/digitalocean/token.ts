import { Failure } from '../../lib/failure.ts';
import type { Host } from '../../lib/host.ts';
import { Secret } from '../../lib/secret.ts';
import type { Environment } from '../../lib/environment.ts';
import type { DigitaloceanConfig } from '../../schemas/config/digitalocean.ts';

export interface TokenSources {
  readonly config: Pick<DigitaloceanConfig, 'tokenFile'>;
  readonly env: Environment;
  readonly host: Pick<Host, 'readText'>;
}

export interface ApiToken {
  readonly token: Secret;
  /** Where it comes from, for messages. */
  readonly source: string;
}

/** Those of `doctl`, and of the vendor's controller. */
const variables = ['DIGITALOCEAN_ACCESS_TOKEN', 'DO_ACCESS_TOKEN'] as const;
const tokenPattern = /^[\x21-\x7e]{1,512}$/;

/** Reads the API token, each time: a new one needs no restart. If the configured file fails, nothing else is tried. */
export async function readToken({ config: { tokenFile }, env, host }: TokenSources): Promise<ApiToken> {
  if (tokenFile !== undefined) return checkedToken(await host.readText(tokenFile), tokenFile);
  const variable = variables.find((name) => env[name]);
  if (variable !== undefined) return checkedToken(env[variable], variable);
  throw new Failure('misconfigured', 'there is no API token for DigitalOcean', {
    remedy: 'name a file with one in digitalocean.tokenFile, or set DIGITALOCEAN_ACCESS_TOKEN',
  });
}

function checkedToken(text: string | undefined, source: string): ApiToken {
  const token = text?.trim() ?? '';
  if (tokenPattern.test(token)) return { token: new Secret(token), source: `the API token of ${source}` };
  const problem = text === undefined ? 'does not exist' : 'has no API token';
  throw new Failure('misconfigured', `${source} ${problem}`, { remedy: 'write a token of DigitalOcean there, alone' });
}
