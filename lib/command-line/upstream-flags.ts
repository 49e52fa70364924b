import { Failure } from '../failure.ts';
import type { Log } from '../log/log.ts';
import type { FlagValues } from './flag-values.ts';
import type { OptionDescription } from './program-description.ts';

/** Flags of the vendors' programs that have no counterpart here, and what is done with them. */
export interface UpstreamFlags {
  /** As in a help text: `--tags LIST`, or `--profiling` for a switch. */
  readonly flags: readonly string[];
  /** Why they have no effect here: a clause that follows a colon. */
  readonly why: string;
  /** They are refused, since to ignore them could do harm or disappoint. Absent: they are accepted without effect. */
  readonly refused?: {
    /** Values that are accepted without effect all the same. Each part of a list has to be one of them. */
    readonly unless?: readonly string[];
    /** An imperative sentence without a full stop. */
    readonly instead: string;
  };
}

export function upstreamOptions(groups: readonly UpstreamFlags[]): readonly OptionDescription[] {
  return groups.flatMap(({ flags, why }) =>
    flags.map((text) => {
      const [flag = '', value] = text.split(' ');
      return {
        flag,
        ...(value !== undefined && { value }),
        ...(value === 'LIST' && { isList: true }),
        description: why,
      };
    }),
  );
}

/** Fails if a flag is refused; the details have the others. Values are not quoted, see flag-values.ts. */
export function refuseUpstreamFlags(groups: readonly UpstreamFlags[], given: FlagValues): void {
  const [first, ...others] = givenFlags(groups, given).flatMap(({ flag, value, group: { why, refused } }) => {
    if (refused === undefined || isAccepted(value, refused.unless)) return [];
    const what = refused.unless === undefined ? 'is not accepted' : 'is not accepted with this value';
    return [{ reason: `${flag} ${what}: ${why}`, instead: refused.instead }];
  });
  if (first === undefined) return;
  throw new Failure('misconfigured', first.reason, {
    remedy: first.instead,
    details: others.map(({ reason, instead }) => `# also: ${reason}; hint: ${instead}`),
  });
}

function isAccepted(value: string, accepted: readonly string[] = []): boolean {
  return value.split(',').every((part) => accepted.includes(part.trim()));
}

/** One line for each flag that is given and has no effect. */
export function logUpstreamFlags(groups: readonly UpstreamFlags[], given: FlagValues, log: Log): void {
  for (const { flag, group } of givenFlags(groups, given)) {
    log.standard('flagWithoutEffect', { flag, reason: group.why });
  }
}

interface GivenFlag {
  readonly flag: string;
  readonly value: string;
  readonly group: UpstreamFlags;
}

function givenFlags(groups: readonly UpstreamFlags[], given: FlagValues): readonly GivenFlag[] {
  return groups.flatMap((group) =>
    upstreamOptions([group]).flatMap(({ flag }) => {
      const value = given[flag];
      return value === undefined ? [] : [{ flag, value, group }];
    }),
  );
}
