import { ownAcrSuffix } from './hosts.ts';
import type { Random } from '../../support/random.ts';
import { poolProvider, tenantId } from './roles.ts';

/** Each cloud's own part of a configuration, if it has one. */
export function cloudParts(random: Random): object {
  return {
    ...(random.chance(0.2) && { aws: { roleAnnotations: ['example.com/pull-role'] } }),
    ...(random.chance(0.35) && { azure: azurePart(random) }),
    ...(random.chance(0.3) && { gcp: gcpPart(random) }),
  };
}

function azurePart(random: Random): object {
  return {
    ...(random.chance(0.5) && { registrySuffixes: [ownAcrSuffix] }),
    ...(random.chance(0.3) && { tenantId }),
    ...(random.chance(0.3) && { authorityHost: 'https://login.lab.example' }),
    ...(random.chance(0.2) && { registryAudience: 'https://containerregistry.lab.example' }),
    ...(random.chance(0.2) && { exchangeAudience: 'api://AzureADTokenExchangeUSGov' }),
    ...(random.chance(0.1) && { clientIdAnnotations: ['azure.workload.identity/client-id'] }),
  };
}

function gcpPart(random: Random): object {
  const partner = { universeDomain: 's3nsapis.fr', registryDomain: 's3nsregistry.fr' };
  const [sts, iamCredentials, oauth2] = ['sts', 'iamcredentials', 'oauth2'].map(
    (api) => `https://${api}.private.lab.example`,
  );
  return {
    ...(random.chance(0.4) && { workloadIdentityProvider: poolProvider }),
    ...(random.chance(0.2) && partner),
    ...(random.chance(0.3) && { endpoints: { sts, iamCredentials, oauth2 } }),
    ...(random.chance(0.2) && { scopes: ['https://www.googleapis.com/auth/devstorage.read_only'] }),
    ...(random.chance(0.1) && { serviceAccountAnnotations: ['cloud.google.com/service-account-email'] }),
  };
}
