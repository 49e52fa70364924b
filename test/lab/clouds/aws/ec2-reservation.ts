import { stateCodes } from './ec2-instance.ts';
import type { Ec2Instance, Ec2Interface } from './ec2-instance.ts';
import type { XmlTree } from './query-protocol.ts';

/** An instance as DescribeInstances shows it; of a terminated one EC2 keeps hardly more than the id. */
export function reservationOf(instance: Ec2Instance): XmlTree {
  const isOver = instance.state === 'terminated';
  return {
    reservationId: `r-${instance.instanceId.slice(2)}`,
    ownerId: instance.accountId,
    groupSet: [],
    instancesSet: [{ ...commonFields(instance), ...(isOver ? terminatedFields(instance) : liveFields(instance)) }],
  };
}

function commonFields(instance: Ec2Instance): XmlTree {
  const { instanceId, state, instanceType, zone, zoneId, launchedAtMs } = instance;
  const tags = Object.entries(instance.tags);
  return {
    instanceId,
    imageId: 'ami-0123456789abcdef0',
    instanceState: { code: String(stateCodes[state]), name: state },
    amiLaunchIndex: '0',
    productCodes: [],
    instanceType,
    launchTime: new Date(launchedAtMs).toISOString(),
    placement: { availabilityZone: zone, availabilityZoneId: zoneId, groupName: '', tenancy: 'default' },
    monitoring: { state: 'disabled' },
    architecture: 'arm64',
    rootDeviceType: 'ebs',
    rootDeviceName: '/dev/xvda',
    virtualizationType: 'hvm',
    clientToken: `fleet-${instanceId}`,
    tagSet: tags.length > 0 ? tags.map(([key, value]) => ({ key, value })) : undefined,
    hypervisor: 'xen',
    ebsOptimized: 'false',
  };
}

function terminatedFields({ terminatedAtMs }: Ec2Instance): XmlTree {
  const at = new Date(terminatedAtMs ?? 0).toISOString().replace('T', ' ').slice(0, 19);
  return {
    privateDnsName: '',
    dnsName: '',
    reason: `User initiated (${at} GMT)`,
    stateReason: {
      code: 'Client.UserInitiatedShutdown',
      message: 'Client.UserInitiatedShutdown: User initiated shutdown',
    },
    blockDeviceMapping: [],
    networkInterfaceSet: [],
    groupSet: [],
  };
}

function liveFields(instance: Ec2Instance): XmlTree {
  const { privateDnsName, publicDnsName, publicIp, interfaces, instanceId } = instance;
  return {
    privateDnsName,
    dnsName: publicDnsName ?? '',
    reason: '',
    ...network,
    privateIpAddress: interfaces[0]?.privateIps[0],
    ipAddress: publicIp,
    ipv6Address: interfaces[0]?.ipv6[0],
    sourceDestCheck: 'true',
    groupSet: [group],
    blockDeviceMapping: [{ deviceName: '/dev/xvda', ebs: disk(instance) }],
    networkInterfaceSet: interfaces.map((each) =>
      interfaceOf(each, instance, `${instanceId.slice(2)}${each.deviceIndex}`),
    ),
    metadataOptions: {
      state: 'applied',
      httpTokens: 'required',
      httpPutResponseHopLimit: '2',
      httpEndpoint: 'enabled',
      httpProtocolIpv6: 'disabled',
      instanceMetadataTags: 'disabled',
    },
  };
}

const network = { subnetId: 'subnet-0123456789abcdef0', vpcId: 'vpc-0123456789abcdef0' };
const group = { groupId: 'sg-0123456789abcdef0', groupName: 'nodes' };

function disk({ instanceId, launchedAtMs }: Ec2Instance): XmlTree {
  return {
    volumeId: `vol-${instanceId.slice(2)}`,
    status: 'attached',
    attachTime: new Date(launchedAtMs).toISOString(),
    deleteOnTermination: 'true',
  };
}

function interfaceOf(each: Ec2Interface, instance: Ec2Instance, id: string): XmlTree {
  const { accountId, privateDnsName, launchedAtMs } = instance;
  return {
    networkInterfaceId: `eni-${id}`,
    ...network,
    description: each.deviceIndex === 0 ? 'Primary network interface' : '',
    ownerId: accountId,
    status: each.status,
    macAddress: '06:00:00:00:00:01',
    privateIpAddress: each.privateIps[0],
    privateDnsName,
    sourceDestCheck: 'true',
    groupSet: [group],
    association: associationOf(each, instance, 0),
    attachment: {
      attachmentId: `eni-attach-${id}`,
      deviceIndex: String(each.deviceIndex),
      status: 'attached',
      attachTime: new Date(launchedAtMs).toISOString(),
      deleteOnTermination: 'true',
      networkCardIndex: '0',
    },
    privateIpAddressesSet: each.privateIps.map((privateIpAddress, index) => ({
      privateIpAddress,
      primary: String(index === 0),
      association: associationOf(each, instance, index),
    })),
    ipv6AddressesSet: each.ipv6.map((ipv6Address, index) => ({ ipv6Address, isPrimaryIpv6: String(index === 0) })),
    interfaceType: 'interface',
  };
}

/** The public address is that of the first address of the first interface. */
function associationOf({ deviceIndex }: Ec2Interface, instance: Ec2Instance, index: number): XmlTree | undefined {
  const { publicIp, publicDnsName } = instance;
  if (publicIp === undefined || deviceIndex !== 0 || index !== 0) return undefined;
  return { publicIp, publicDnsName, ipOwnerId: 'amazon' };
}
