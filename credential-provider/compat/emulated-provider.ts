import type { Environment } from '../../lib/environment.ts';
import type { Host } from '../../lib/host.ts';
import type { Http } from '../../lib/http/http.ts';
import type { HttpSettings } from '../../lib/http/create-http.ts';
import type { ProviderBehavior } from '../../lib/registry-login/provider-behavior.ts';
import type { Config } from '../../schemas/config.ts';

/** An upstream provider that we emulate when started through a link with its name. */
export interface EmulatedProvider {
  readonly name: string;
  /** In one sentence, for `--help`. */
  readonly summary: string;
  /** Throws a `Failure` for arguments and files that are not supported. */
  createMode(args: ParsedArgs, runtime: CompatRuntime): Promise<CompatMode>;
  /** Its flags that take a value, without dashes; log flags are not listed here. */
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

/** How the emulated provider differs from our own. */
export interface CompatMode {
  readonly env: Environment;
  /** Absent: the real host. */
  readonly host?: Host;
  readonly behavior: ProviderBehavior;
  overrideConfig(config: Config): Config;
}
