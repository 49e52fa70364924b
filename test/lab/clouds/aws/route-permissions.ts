/** What the controller needs for routes, as docs/guides/routes.md lists it. */
export const routePermissions = [
  'ec2:DescribeRouteTables',
  'ec2:CreateRoute',
  'ec2:ReplaceRoute',
  'ec2:DeleteRoute',
  'ec2:ModifyInstanceAttribute',
];
