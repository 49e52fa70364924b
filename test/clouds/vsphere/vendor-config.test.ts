import t from 'tap';
import { testVendorConfigs } from '../vendor-config.ts';

const filesToFill = (at: number): readonly string[] => [
  `# to be filled in: vsphere.vcenters[${at}].usernameFile must be of type string`,
  `# to be filled in: vsphere.vcenters[${at}].passwordFile must be of type string`,
];

await testVendorConfigs(t, /format of the vSphere cloud provider \(YAML\), not in ours$/, [
  {
    name: 'the ConfigMap of releases/v1.36/vsphere-cloud-controller-manager.yaml',
    text: `# Global properties in this section will be used for all specified vCenters unless overriden in VirtualCenter section.
global:
  port: 443
  # set insecureFlag to true if the vCenter uses a self-signed cert
  insecureFlag: true
  # settings for using k8s secret
  secretName: vsphere-cloud-secret
  secretNamespace: kube-system

# vcenter section
vcenter:
  tenant-one:
    server: 1.2.3.4
    user: hidden
    password: hidden
    datacenters:
      - DC-West
`,
    isComplete: false,
    lines: [
      'vsphere:',
      '  vcenters:',
      '    - name: tenant-one',
      '      server: 1.2.3.4',
      '      datacenters:',
      '        - DC-West',
      '      usernameFile:',
      '      passwordFile:',
      ...filesToFill(0),
      '# the Secret with the credentials: mount it, and name the directory as vsphere.secretsDirectory instead of the files',
      '# user and password: secrets, not shown here; write each into a file, or mount a Secret as vsphere.secretsDirectory',
      '# insecureFlag: the certificate is always checked; set thumbprint or caFile of the vCenter',
      '# not needed: global.insecureFlag, global.secretNamespace',
    ],
  },
  {
    name: 'several vCenters, a directory, labels and addresses',
    text: `vcenter:
  West:
    server: vc-west.example.com
    port: 8443
    caFile: /etc/ca.pem
  2001:db8::1:
    server: "2001:db8::1"
    thumbprint: 5A273C11940B8E66D2F0713A4D529E01B7C86F2D3590E4AB176C08FD435B9920
global:
  server: vc-global.example.com
  secretsDirectory: /etc/cloud/credentials
  datacenters: [DC0, DC1]
  soapRoundtripCount: 3
labels:
  zone: k8s-zone
  region: k8s-region
nodes:
  internalNetworkSubnetCidr: 10.1.0.0/16,fd00::/8
  excludeExternalNetworkSubnetCidr: 10.1.255.0/24
  internalVmNetworkName: VM Network
loadBalancer:
  lbServiceId: hidden
`,
    lines: [
      'vsphere:',
      '  vcenters:',
      '    - name: west',
      '      server: vc-west.example.com:8443',
      '      datacenters:',
      '        - DC0',
      '        - DC1',
      '      caFile: /etc/ca.pem',
      '    - name: 2001-db8-1',
      '      server: "[2001:db8::1]"',
      '      datacenters:',
      '        - DC0',
      '        - DC1',
      '      thumbprint: 5A273C11940B8E66D2F0713A4D529E01B7C86F2D3590E4AB176C08FD435B9920',
      '    - name: vc-global-example-com',
      '      server: vc-global.example.com',
      '      datacenters:',
      '        - DC0',
      '        - DC1',
      '  secretsDirectory: /etc/cloud/credentials',
      '  tagCategories:',
      '    zone: k8s-zone',
      '    region: k8s-region',
      '  addresses:',
      '    internalNetworks:',
      '      - 10.1.0.0/16',
      '      - fd00::/8',
      '    excludedFromExternal:',
      '      - 10.1.255.0/24',
      '    internalNetworkName: VM Network',
      "# only the vendor's controller uses, for load balancers, routes and volumes: loadBalancer.lbServiceId",
      '# not needed: global.soapRoundtripCount',
    ],
  },
]);

await testVendorConfigs(t, /format of the vSphere cloud provider \(INI\), not in ours$/, [
  {
    name: 'docs/book/tutorials of cloud-provider-vsphere',
    text: `[Global]
insecure-flag = "true"
secret-name = "cpi-global-secret"
secret-namespace = "kube-system"

[VirtualCenter "10.160.151.122"]
datacenters = "vcqaDC, dc-2"

[Labels]
region = k8s-region
zone = k8s-zone

[Nodes]
external-vm-network-name = "Public"
`,
    isComplete: false,
    lines: [
      'vsphere:',
      '  vcenters:',
      '    - name: 10-160-151-122',
      '      server: 10.160.151.122',
      '      datacenters:',
      '        - vcqaDC',
      '        - dc-2',
      '      usernameFile:',
      '      passwordFile:',
      '  tagCategories:',
      '    zone: k8s-zone',
      '    region: k8s-region',
      '  addresses:',
      '    externalNetworkName: Public',
      ...filesToFill(0),
      '# the Secret with the credentials: mount it, and name the directory as vsphere.secretsDirectory instead of the files',
      '# insecureFlag: the certificate is always checked; set thumbprint or caFile of the vCenter',
      '# not needed: insecure-flag, secret-namespace',
    ],
  },
]);
