import type { Environment } from '../../../lib/environment.ts';

/**
 * The variables of openrc files, and their names in clouds.yaml.
 * https://docs.openstack.org/python-openstackclient/latest/cli/man/openstack.html#environment-variables
 */
const variables: Readonly<Record<string, string>> = {
  OS_AUTH_URL: 'auth_url',
  OS_AUTH_TYPE: 'auth_type',
  OS_IDENTITY_API_VERSION: 'identity_api_version',
  OS_APPLICATION_CREDENTIAL_ID: 'application_credential_id',
  OS_APPLICATION_CREDENTIAL_NAME: 'application_credential_name',
  OS_APPLICATION_CREDENTIAL_SECRET: 'application_credential_secret',
  OS_USERNAME: 'username',
  OS_USER_ID: 'user_id',
  OS_PASSWORD: 'password',
  OS_TOKEN: 'token',
  OS_TRUST_ID: 'trust_id',
  OS_SYSTEM_SCOPE: 'system_scope',
  OS_PROJECT_ID: 'project_id',
  OS_PROJECT_NAME: 'project_name',
  OS_TENANT_ID: 'tenant_id',
  OS_TENANT_NAME: 'tenant_name',
  OS_USER_DOMAIN_ID: 'user_domain_id',
  OS_USER_DOMAIN_NAME: 'user_domain_name',
  OS_PROJECT_DOMAIN_ID: 'project_domain_id',
  OS_PROJECT_DOMAIN_NAME: 'project_domain_name',
  OS_DOMAIN_ID: 'domain_id',
  OS_DOMAIN_NAME: 'domain_name',
  OS_REGION_NAME: 'region_name',
  OS_INTERFACE: 'interface',
  OS_ENDPOINT_TYPE: 'endpoint_type',
  OS_CACERT: 'cacert',
  OS_CERT: 'cert',
  OS_INSECURE: 'insecure',
  OS_VERIFY: 'verify',
};

/** The settings that are in variables, by their names in clouds.yaml. */
export function settingsInVariables(env: Environment): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(variables).map(([variable, key]) => [key, env[variable]]));
}
