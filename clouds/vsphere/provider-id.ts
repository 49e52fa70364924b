/** What a providerID means for vSphere. */
export type VsphereProviderId =
  /** The BIOS UUID of a virtual machine, in lower case. */
  | { readonly is: 'instance'; readonly uuid: string }
  /** It has vSphere's scheme but is no UUID: nothing may be concluded about it. */
  | { readonly is: 'unreadable' }
  | { readonly is: 'foreign' };

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const scheme = 'vsphere://';

/** `vsphere://<BIOS UUID>`; vCenter's own controller ignores the case of its letters. */
export function parseProviderId(text: string): VsphereProviderId {
  if (!text.startsWith('vsphere:')) return { is: 'foreign' };
  const uuid = text.startsWith(scheme) ? parseUuid(text.slice(scheme.length)) : undefined;
  return uuid === undefined ? { is: 'unreadable' } : { is: 'instance', uuid };
}

export function formatProviderId(uuid: string): string {
  return `${scheme}${uuid}`;
}

/** In lower case; `undefined`: it is no UUID. */
export function parseUuid(text: string): string | undefined {
  const uuid = text.trim().toLowerCase();
  return uuidPattern.test(uuid) ? uuid : undefined;
}

/**
 * The other order of bytes in the first three groups. SMBIOS 2.6 has them in little-endian order, and before it was not
 * defined, so the UUID that Linux shows is the BIOS UUID of vCenter or this form of it, by the version of the virtual
 * hardware and of Linux. https://www.dmtf.org/standards/smbios (System Information, UUID)
 */
export function swapByteOrder(uuid: string): string {
  return uuid.replace(
    /^(..)(..)(..)(..)-(..)(..)-(..)(..)/,
    (_all, ...bytes: readonly string[]) =>
      `${bytes.slice(0, 4).toReversed().join('')}-${bytes[5]}${bytes[4]}-${bytes[7]}${bytes[6]}`,
  );
}

/** Both forms, which can be the same. */
export function bothForms(uuid: string): readonly string[] {
  return [...new Set([uuid, swapByteOrder(uuid)])];
}
