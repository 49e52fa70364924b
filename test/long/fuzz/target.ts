import { Failure } from '../../../lib/failure.ts';
import { failureText } from '../../../lib/failure-text.ts';
import { failureLine } from '../../../lib/registry-login/failure-line.ts';
import { createRedactor } from '../../../lib/registry-login/redactor.ts';
import { showsSecret } from '../../lab/clouds/secrets.ts';
import type { Random } from '../../support/random.ts';

/** One kind of input from outside, with the code that reads it and what must hold whatever the input is. */
export interface FuzzTarget {
  readonly name: string;
  readonly runCase: FuzzCase;
  /** Of the time that a target gets; absent: all of it. */
  readonly share?: number;
  /** Each of them comes at least once in 1,000 cases: no part of the target goes untested. */
  readonly ends: readonly string[];
  /** The same target with a fault in it, by what the fault is. The checks must find each. */
  readonly planted: Readonly<Record<string, FuzzCase>>;
  readonly close?: () => Promise<void>;
}

/** Makes one case from the random numbers, and checks it. */
export type FuzzCase = (random: Random) => FuzzResult | Promise<FuzzResult>;

export interface FuzzResult {
  /** How it ended, to be counted. */
  readonly end: string;
  readonly problems: readonly string[];
}

const longestTextCharacters = 2_000;
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** An error from bad input is a `Failure` that prints as one line with a hint, and shows no secret. */
export function checkError(error: unknown): readonly string[] {
  if (!(error instanceof Failure)) {
    return [`no Failure but ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
  }
  const { message, remedy } = error;
  const text = failureText(error);
  const line = failureLine('polycloud-credential-provider', error, createRedactor());
  return [
    ...(message === '' ? ['a Failure without a message'] : []),
    ...(remedy === '' ? ['a Failure without a hint'] : []),
    ...(line.includes(remedy.slice(0, 20)) ? [] : [`the hint is cut off: ${line}`]),
    ...(unprintable.test(text) ? [`a line with control characters: ${JSON.stringify(message)}`] : []),
    ...(text.length > longestTextCharacters ? [`a line of ${text.length} characters`] : []),
    ...(showsSecret(`${message} ${remedy}`) ? ['a message that shows a secret'] : []),
  ];
}

/** The result, or else the error. */
export async function attempt<T>(
  work: () => T | Promise<T>,
): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}
