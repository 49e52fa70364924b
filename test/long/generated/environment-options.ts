import type { ImageOwner } from './images.ts';
import type { HomeCloud } from './message.ts';
import { oddText } from './odd-values.ts';
import type { Random } from '../../support/random.ts';
import type { Service } from './raw-servers.ts';

export interface GeneratedEnvironment {
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

export interface EnvironmentOptions {
  readonly urls: Readonly<Record<Service, string>>;
  readonly proxyUrl: string;
  readonly authorityFile: string;
  readonly signer: CaseSigner;
  readonly home: HomeCloud;
  readonly owner: ImageOwner;
  path(name: string): string;
  /** Nothing may lead out of this machine: a program of its own is not watched as closely as a function is. */
  readonly onlyLoopback: boolean;
}

export interface CaseSigner {
  /** Certificate and encrypted key. */
  readonly pem: string;
  readonly password: string;
  readonly privateKey: string;
}

/** With chance, an unused setting gets an unexpected value. */
export function oddVariables(
  random: Random,
  names: readonly string[],
  probability: number,
): Readonly<Record<string, string>> {
  return Object.fromEntries(names.filter(() => random.chance(probability)).map((name) => [name, oddText(random)]));
}

/** Addresses that are invalid, or that do not respond. */
export const oddEndpoints: readonly string[] = [
  'localhost:4566',
  'ftp://127.0.0.1',
  'http://',
  'http://127.0.0.1:1',
  'http://[::1',
  'http:///',
  '://',
];
