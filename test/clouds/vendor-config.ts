import type { Test } from 'tap';
import { clouds } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import { parseConfigFile } from '../../lib/config/parse-config.ts';
import { refuseVendorFormat } from '../../lib/config/vendor-format.ts';

export interface VendorConfigCase {
  readonly name: string;
  readonly text: string;
  /** Our configuration, and the comments below it. */
  readonly lines: readonly string[];
  /** Default: our configuration is complete. */
  readonly isComplete?: boolean;
}

/** The whole way: the file is recognised, and the lines that replace it are a valid configuration of ours. */
export async function testVendorConfigs(t: Test, whose: RegExp, cases: readonly VendorConfigCase[]): Promise<void> {
  for (const { name, text, lines, isComplete = true } of cases) {
    await t.test(name, async (t) => {
      const failure = await refusalOf(text);
      t.match(failure, { kind: 'misconfigured', message: whose });
      t.strictSame(failure.details.slice(1), lines);
      if (isComplete) t.doesNotThrow(() => parseConfigFile(failure.details.join('\n'), '/config.yaml'));
      t.notMatch(JSON.stringify([failure.message, failure.remedy, failure.details]), /hidden/);
    });
  }
}

export async function refusalOf(text: string): Promise<Failure> {
  const error = await refuseVendorFormat(text, '/etc/cloud.conf', clouds).catch((thrown: unknown) => thrown);
  if (error instanceof Failure) return error;
  throw new Error(`not refused: ${String(error)}`);
}
