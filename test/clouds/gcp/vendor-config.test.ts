import t from 'tap';
import { testVendorConfigs } from '../vendor-config.ts';

const vendors = "# only the vendor's controller uses, for load balancers, routes and volumes:";

await testVendorConfigs(t, /format of the Google cloud provider \(INI\), not in ours$/, [
  {
    name: 'providers/gce/gce_test.go of cloud-provider-gcp',
    text: `[Global]
token-url = https://hidden.example
token-body = hidden
project-id = my-project
network-project-id = my-network-project
network-name = my-network
subnetwork-name = my-subnetwork
secondary-range-name = my-secondary-range
node-tags = my-node-tag1
node-instance-prefix = my-prefix
multizone = true
regional = true
`,
    lines: [
      'gcp:',
      '  projects:',
      '    - name: default',
      '      projectId: my-project',
      `${vendors} network-project-id, network-name, subnetwork-name, secondary-range-name, node-tags, node-instance-prefix`,
      '# not needed: multizone, regional',
      '# token-url has no counterpart',
      '# token-body has no counterpart',
    ],
  },
  {
    name: 'the file of kube-up in the cluster folder of cloud-provider-gcp, and a setting without a value',
    text: '[global]\ntoken-url = nil\nproject-id = my-project\nnetwork-project-id = my-project\nlocal-zone = us-central1-a\nmultizone\n',
    lines: [
      'gcp:',
      '  projects:',
      '    - name: default',
      '      projectId: my-project',
      `${vendors} network-project-id`,
      '# not needed: token-url, local-zone, multizone',
    ],
  },
  {
    name: 'another endpoint, without its path',
    text: '[global]\nproject-id = example.com:my-project\napi-endpoint = https://compute.example.com/compute/v1/\n',
    lines: [
      'gcp:',
      '  projects:',
      '    - name: default',
      '      projectId: example.com:my-project',
      '  endpoints:',
      '    compute: https://compute.example.com',
    ],
  },
  {
    name: 'nothing that needs a setting',
    text: '[global]\r\nmultizone = true\r\napi-endpoint = https://www.googleapis.com/compute/v1/\r\n',
    lines: ['# not needed: multizone'],
  },
  {
    name: 'the number of a project, and an unknown key',
    text: '[Global]\nproject-id = 123456789\nunknown-key = hidden\nnetwork-name = my-network\n',
    isComplete: false,
    lines: [
      'gcp:',
      '  projects:',
      '    - name: default',
      '      projectId:',
      '# to be filled in: gcp.projects[0].projectId must be the id of a project, not its number',
      `${vendors} network-name`,
      '# unknown-key has no counterpart',
    ],
  },
]);
