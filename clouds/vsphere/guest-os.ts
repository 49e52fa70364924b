/**
 * The name of the operating system in the type of an instance, as vCenter's own controller has it, so that the label
 * stays the same after a move: https://github.com/kubernetes/cloud-provider-vsphere/blob/60f6c5dfe164/pkg/cloudprovider/vsphere/types.go
 * The identifiers of systems that no kubelet runs on are left out.
 */
const identifiers: ReadonlyArray<readonly [name: string, guestIds: string]> = [
  ['asianux3', 'asianux3_64Guest asianux3Guest'],
  ['asianux4', 'asianux4_64Guest asianux4Guest'],
  ['asianux5', 'asianux5_64Guest'],
  ['asianux7', 'asianux7_64Guest'],
  ['centos6', 'centos6_64Guest centos6Guest'],
  ['centos64', 'centos64Guest'],
  ['centos7', 'centos7_64Guest centos7Guest'],
  ['centos', 'centosGuest'],
  ['coreos', 'coreos64Guest'],
  ['debian10', 'debian10_64Guest debian10Guest'],
  ['debian4', 'debian4_64Guest debian4Guest'],
  ['debian5', 'debian5_64Guest debian5Guest'],
  ['debian6', 'debian6_64Guest debian6Guest'],
  ['debian7', 'debian7_64Guest debian7Guest'],
  ['debian8', 'debian8_64Guest debian8Guest'],
  ['debian9', 'debian9_64Guest debian9Guest'],
  ['fedora', 'fedora64Guest fedoraGuest'],
  [
    'linux',
    'genericLinuxGuest other24xLinux64Guest other24xLinuxGuest other26xLinux64Guest other26xLinuxGuest other3xLinux64Guest other3xLinuxGuest otherLinux64Guest otherLinuxGuest',
  ],
  ['mandrake', 'mandrakeGuest'],
  ['mandriva', 'mandriva64Guest mandrivaGuest'],
  ['oes', 'oesGuest'],
  ['opensuse', 'opensuse64Guest opensuseGuest'],
  ['oracleLinux6', 'oracleLinux6_64Guest oracleLinux6Guest'],
  ['oracleLinux', 'oracleLinux64Guest oracleLinuxGuest'],
  ['oracleLinux7', 'oracleLinux7_64Guest oracleLinux7Guest'],
  ['other', 'otherGuest otherGuest64'],
  ['rhel', 'redhatGuest'],
  ['rhel2', 'rhel2Guest'],
  ['rhel3', 'rhel3_64Guest rhel3Guest'],
  ['rhel4', 'rhel4_64Guest rhel4Guest'],
  ['rhel5', 'rhel5_64Guest rhel5Guest'],
  ['rhel6', 'rhel6_64Guest rhel6Guest'],
  ['rhel7', 'rhel7_64Guest rhel7Guest'],
  ['rhel8', 'rhel8_64Guest'],
  ['rhel9', 'rhel9_64Guest'],
  ['rhel10', 'rhel10_64Guest'],
  ['sles10', 'sles10_64Guest sles10Guest'],
  ['sles11', 'sles11_64Guest sles11Guest'],
  ['sles12', 'sles12_64Guest sles12Guest'],
  ['sles64', 'sles64Guest'],
  ['sles', 'slesGuest'],
  ['suse', 'suse64Guest suseGuest'],
  ['turbolinux', 'turboLinux64Guest turboLinuxGuest'],
  ['ubuntu', 'ubuntu64Guest ubuntuGuest'],
  ['photon', 'vmwarePhoton64Guest'],
  ['win7server', 'windows7Server64Guest'],
  ['win8server', 'windows8Server64Guest'],
  ['win10server', 'windows9Server64Guest'],
  ['windowshyperv', 'windowsHyperVGuest'],
];

const names: ReadonlyMap<string, string> = new Map(
  identifiers.flatMap(([name, guestIds]) => guestIds.split(' ').map((guestId) => [guestId, name] as const)),
);

/** `unknown` for all others. */
export function guestOsName(guestId: string): string {
  return names.get(guestId) ?? 'unknown';
}
