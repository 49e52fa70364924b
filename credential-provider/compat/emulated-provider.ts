import type { Environment } from '../../lib/environment.ts';
import type { Host } from '../../lib/host.ts';
import type { Http } from '../../lib/http/http.ts';
import type { HttpSettings } from '../../lib/http/create-http.ts';
import type { ProviderBehavior } from '../../lib/registry-login/provider-behavior.ts';
import type { Config } from '../../schemas/config.ts';

/** One of the programs in whose place we can be put, by a link of its name. */
export interface EmulatedProvider {
  readonly name: string;
  /** In one sentence, for `--help`. */
  readonly summary: string;
  /** Throws a `Failure` that says what to use instead of what we do not understand. */
  createMode(args: ParsedArgs, runtime: CompatRuntime): Promise<CompatMode>;
  /** Its flags that take a value, and those that do not, without dashes; those of its log are known. */
  readonly valueFlags: readonly string[];
  readonly shortFlags: Readonly<Record<string, string>>;
}

export interface ParsedArgs {
  readonly positionals: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
}

export interface CompatRuntime {
  readonly env: Environment;
  readonly host: Host;
  openHttp(settings: HttpSettings): Http;
}

/** How we answer in its place. */
export interface CompatMode {
  readonly env: Environment;
  /** Absent: the host as it is. */
  readonly host?: Host;
  readonly behavior: ProviderBehavior;
  overrideConfig(config: Config): Config;
}
