import { checkConfigFile } from '../../lib/config/parse-config.ts';
import { refuseVendorFormat } from '../../lib/config/vendor-format.ts';
import { Failure } from '../../lib/failure.ts';
import type { Config } from '../../schemas/config.ts';
import type { LintFinding } from '../../lib/kubelet-config/finding.ts';
import type { ProviderRuntime } from '../runtime.ts';

type OwnLintDeps = Pick<ProviderRuntime, 'clouds' | 'env' | 'host'>;

/** All mistakes of our own configuration file, and what the clouds refuse of it. It sends nothing. */
export async function lintOwnConfig(text: string, file: string, deps: OwnLintDeps): Promise<readonly LintFinding[]> {
  const vendor = await failureOf(() => refuseVendorFormat(text, file, deps.clouds));
  if (vendor !== undefined) return [findingOf('vendor-format', file, vendor)];
  const checked = checkConfigFile(text);
  if (checked.kind === 'valid') return refusalsOf(checked.value, file, deps);
  return checked.mistakes.map((mistake) => ({ severity: 'error', file, ...mistake }));
}

/** A cloud reads the files that its part of the configuration names. */
async function refusalsOf(
  config: Config,
  file: string,
  { clouds, env, host }: OwnLintDeps,
): Promise<readonly LintFinding[]> {
  const failures = await Promise.all(clouds.map(({ load }) => failureOf(() => load({ env, host }, config))));
  return failures.flatMap((failure) => (failure === undefined ? [] : [findingOf('refused-by-cloud', file, failure)]));
}

async function failureOf(run: () => Promise<unknown>): Promise<Failure | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function findingOf(code: LintFinding['code'], file: string, { message, remedy }: Failure): LintFinding {
  return { severity: 'error', code, file, what: message, remedy };
}
