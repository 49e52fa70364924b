import { awsEnvironment } from './environments/aws.ts';
import { azureEnvironment } from './environments/azure.ts';
import { googleEnvironment } from './environments/google.ts';
import type { Random } from '../../support/random.ts';
import type { GeneratedEnvironment, EnvironmentOptions } from './environment-options.ts';

export function generateEnvironment(random: Random, options: EnvironmentOptions): GeneratedEnvironment {
  const parts = [awsEnvironment, azureEnvironment, googleEnvironment].map((of) => of(random, options));
  return {
    files: Object.assign({}, ...parts.map(({ files }) => files)) as GeneratedEnvironment['files'],
    env: {
      ...variables(Object.assign({}, ...parts.map(({ env }) => env)) as GeneratedEnvironment['env']),
      ...proxies(random, options),
    },
  };
}

/** Requests to production names go through the gate. A function without requests does not use it. */
function proxies(
  random: Random,
  { proxyUrl, authorityFile, onlyLoopback }: EnvironmentOptions,
): Readonly<Record<string, string>> {
  if (!onlyLoopback && random.chance(0.8)) return {};
  return { HTTP_PROXY: proxyUrl, HTTPS_PROXY: proxyUrl, SSL_CERT_FILE: authorityFile };
}

const longestValueCharacters = 2_000;

/** As much of it as can stand in an environment. */
function variables(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const entries = Object.entries(values).map(([name, value]) => [
    name,
    value.replaceAll('\0', '').slice(0, longestValueCharacters).toWellFormed(),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
