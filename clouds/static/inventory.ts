import { readYaml } from '../../lib/config/read-yaml.ts';
import { checkFile, fileFailure } from '../../lib/config/schema-mistakes.ts';
import { Failure } from '../../lib/failure.ts';
import type { Host } from '../../lib/host.ts';
import { Inventory } from './schemas.ts';
import type { InventoryMachine } from './schemas.ts';

export async function readInventory(file: string, host: Host): Promise<readonly InventoryMachine[]> {
  const text = await host.readText(file);
  if (text === undefined) {
    throw new Failure('misconfigured', `the inventory ${file} does not exist`, {
      remedy: 'create it, with a list `machines`, or correct static.inventoryFile',
    });
  }
  const checked = checkFile(readYaml(text, {}), Inventory, {});
  if (checked.kind === 'valid') return checked.value.machines;
  throw fileFailure(`the inventory ${file}`, checked.mistakes);
}
