import t from 'tap';
import { testVendorConfigs } from '../vendor-config.ts';

await testVendorConfigs(t, /format of the AWS cloud provider \(INI\), not in ours$/, [
  {
    name: 'docs/development.md of cloud-provider-aws',
    text: `[Global]
Region                                          = us-east-1
VPC                                             = vpc-0123456789abcdef0
SubnetID                                        = subnet-0123456789abcdef0
KubernetesClusterTag                            = my-cluster-id
DisableSecurityGroupIngress                     = false
ClusterServiceLoadBalancerHealthProbeMode       = Shared
ClusterServiceSharedLoadBalancerHealthProbePort = 0
`,
    lines: [
      'aws:',
      '  scopes:',
      '    - name: default',
      '      region: us-east-1',
      "# only the vendor's controller uses, for load balancers, routes and volumes: VPC, SubnetID, KubernetesClusterTag, DisableSecurityGroupIngress, ClusterServiceLoadBalancerHealthProbeMode, ClusterServiceSharedLoadBalancerHealthProbePort",
    ],
  },
  {
    name: 'docs/nlb_security_groups.md of cloud-provider-aws',
    text: '[Global]\nNLBSecurityGroupMode = Managed\n',
    lines: ["# only the vendor's controller uses, for load balancers, routes and volumes: NLBSecurityGroupMode"],
  },
  {
    name: 'a role, the zone alone, and families, as in pkg/providers/v1/aws_test.go',
    text: '; from kops\n[global]\nzone = "eu-west-1a" ; the first\nRoleARN=arn:aws:iam::123456789012:role/nodes\nNodeIPFamilies = ipv6\nNodeIPFamilies = ipv4\n',
    lines: [
      'aws:',
      '  scopes:',
      '    - name: default',
      '      region: eu-west-1',
      '      roleArn: arn:aws:iam::123456789012:role/nodes',
      '  nodeIpFamilies:',
      '    - ipv6',
      '    - ipv4',
    ],
  },
  {
    name: 'the route table and the id of the cluster, as in pkg/providers/v1/config/config.go',
    text: '[Global]\nRegion = us-west-2\nRouteTableID = rtb-0123456789abcdef0\nKubernetesClusterID = prod\n',
    lines: [
      'aws:',
      '  scopes:',
      '    - name: default',
      '      region: us-west-2',
      '  clusterName: prod',
      '  routeTables:',
      '    - id: rtb-0123456789abcdef0',
    ],
  },
  {
    name: 'a role without a region',
    text: '[Global]\nRoleARN = arn:aws:iam::123456789012:role/nodes\nSourceARN = arn:aws:eks:us-west-2:123456789012:cluster/hidden\n',
    isComplete: false,
    lines: [
      'aws:',
      '  scopes:',
      '    - name: default',
      '      region:',
      '      roleArn: arn:aws:iam::123456789012:role/nodes',
      '# to be filled in: aws.scopes[0].region must be of type string',
      '# SourceARN has no counterpart',
    ],
  },
  {
    name: 'endpoints, as in the comment of pkg/providers/v1/config/config.go',
    text: `[Global]
Region = us-west-2
[ServiceOverride "1"]
  Service = s3
  Region = us-west-2
  URL = https://hidden.foo.bar
  SigningRegion = us-west-2
  SigningMethod = v4
[ServiceOverride "2"]
  Service = EC2
  Region = us-west-2
  URL = https://ec2.foo.bar
  SigningRegion = us-west-2
  SigningMethod = v4
  SigningName = other
[ServiceOverride "3"]
  Service = sts
  URL = https://user:hidden@sts.foo.bar
`,
    lines: [
      'aws:',
      '  scopes:',
      '    - name: default',
      '      region: us-west-2',
      '# ServiceOverride "2" URL: set the environment variable AWS_ENDPOINT_URL_EC2=https://ec2.foo.bar',
      '# ServiceOverride "3" URL: a secret, not shown here; set the environment variable AWS_ENDPOINT_URL_STS to it',
      '# only the vendor\'s controller uses, for load balancers, routes and volumes: ServiceOverride "1" Service, ServiceOverride "1" Region, ServiceOverride "1" URL, ServiceOverride "1" SigningRegion, ServiceOverride "1" SigningMethod',
      '# not needed: ServiceOverride "2" Service, ServiceOverride "2" Region, ServiceOverride "2" SigningRegion, ServiceOverride "2" SigningMethod, ServiceOverride "3" Service',
      '# ServiceOverride "2" SigningName has no counterpart',
    ],
  },
  {
    name: 'unknown settings are named, and never their values',
    text: '[Global]\nRegion = us-west-2\nPassword = hidden\nOdd = hidden\n',
    lines: [
      'aws:',
      '  scopes:',
      '    - name: default',
      '      region: us-west-2',
      '# Password has no counterpart',
      '# Odd has no counterpart',
    ],
  },
  {
    name: 'a value that we would not accept is not repeated',
    text: '[Global]\nRegion = hidden us-west-2\n',
    isComplete: false,
    lines: [
      'aws:',
      '  scopes:',
      '    - name: default',
      '      region:',
      '# to be filled in: aws.scopes[0].region must be a region such as us-west-2',
    ],
  },
]);
