import { partitionOf } from './hosts.ts';
import { registryService } from './registry-login.ts';

export const ecr = registryService({
  service: 'ecr',
  target: 'AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken',
  permissions: ['ecr:GetAuthorizationToken'],
  output: (authorization, { accountId, region, input }) => ({
    authorizationData: registryIds(input['registryIds'], accountId).map((id) => ({
      ...authorization,
      proxyEndpoint: `https://${id}.dkr.ecr.${region}.${partitionOf(region).suffix}`,
    })),
  }),
});

function registryIds(asked: unknown, accountId: string): readonly string[] {
  return Array.isArray(asked) && asked.length > 0 ? asked.map(String) : [accountId];
}
