import type { Context } from '../../../lib/context.ts';
import { Failure } from '../../../lib/failure.ts';
import type { VsphereConfig } from '../../../schemas/config/vsphere.ts';
import { needsOrder } from '../addresses.ts';
import { objectsSpec, retrieveProperties } from '../soap/properties.ts';
import { childrenOf, textAt } from '../soap/xml.ts';
import { staticAddresses } from '../static-addresses.ts';
import type { VmDescription } from '../vm.ts';
import type { VmSurroundings } from './lookup-result.ts';
import type { Vcenter } from './vcenter.ts';
import { readPlaces } from './zones.ts';

/** What is read of machines besides themselves, for all machines of a vCenter together. By the id of their object. */
export async function readSurroundings(
  vms: readonly VmDescription[],
  vcenter: Vcenter,
  config: VsphereConfig,
  context: Context,
): Promise<ReadonlyMap<string, VmSurroundings | Failure>> {
  try {
    const [places, addresses] = await Promise.all([
      readPlaces(vms, vcenter, config.tagCategories, context),
      readStaticAddresses(vms, vcenter, context),
    ]);
    return new Map(
      vms.map(({ ref }) => {
        const place = places.get(ref.id) ?? {};
        return [ref.id, place instanceof Failure ? place : { place, staticAddresses: addresses.get(ref.id) ?? [] }];
      }),
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return new Map(vms.map(({ ref }) => [ref.id, error]));
  }
}

/** The settings of a machine are long, so they are read only where the order of addresses matters. */
async function readStaticAddresses(
  vms: readonly VmDescription[],
  { session }: Vcenter,
  context: Context,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const unordered = vms.filter(({ nics }) => needsOrder(nics)).map(({ ref }) => ref);
  if (unordered.length === 0) return new Map();
  const query = { type: 'VirtualMachine', paths: ['config.extraConfig'], objects: objectsSpec(unordered) };
  const found = await session.run((connection) => retrieveProperties(query, connection, context), context);
  return new Map(
    found.map(({ ref, properties }) => {
      const options = childrenOf(properties.get('config.extraConfig'), 'OptionValue');
      const settings = options.map((each) => [textAt(each, 'key') ?? '', textAt(each, 'value') ?? ''] as const);
      return [ref.id, staticAddresses(new Map(settings))];
    }),
  );
}
