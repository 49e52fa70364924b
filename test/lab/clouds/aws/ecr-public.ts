import { registryService } from './registry-login.ts';

export const ecrPublic = registryService({
  service: 'ecr-public',
  target: 'SpencerFrontendService.GetAuthorizationToken',
  permissions: ['ecr-public:GetAuthorizationToken', 'sts:GetServiceBearerToken'],
  output: (authorizationData) => ({ authorizationData }),
});
