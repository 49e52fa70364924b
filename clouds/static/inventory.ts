import { parse, YAMLParseError } from 'yaml';
import { Failure } from '../../lib/failure.ts';
import type { Host } from '../../lib/host.ts';
import { Inventory } from './schemas.ts';
import type { InventoryMachine } from './schemas.ts';

export async function readInventory(file: string, host: Host): Promise<readonly InventoryMachine[]> {
  const text = await host.readText(file);
  if (text === undefined) throw unusable(file, 'does not exist');
  const parsed = Inventory.safeParse(parseYaml(text, file));
  if (parsed.success) return parsed.data.machines;
  const issue = parsed.error.issues[0];
  throw unusable(file, `is not one: ${issue?.path.join('.') || 'as a whole'}: ${issue?.message ?? ''}`);
}

function parseYaml(text: string, file: string): unknown {
  try {
    // Warnings would go to standard error, and quote the file.
    return parse(text, { logLevel: 'error' });
  } catch (cause) {
    const where = cause instanceof YAMLParseError ? ` (line ${cause.linePos?.[0].line ?? 0})` : '';
    throw unusable(file, `is not YAML${where}`);
  }
}

function unusable(file: string, what: string): Failure {
  return new Failure('misconfigured', `the inventory ${file} ${what}`, {
    remedy: 'write it as docs/guides/static-machines.md has it',
  });
}
