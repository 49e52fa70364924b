import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface OpenStackSettings {
  /** How long a token of Keystone is valid. */
  readonly tokenSeconds: number;
}

/** What the services know each other by: inside their namespace nothing else has these ports. */
export const internalUrls = {
  keystone: 'http://127.0.0.1:5000/v3',
  nova: 'http://127.0.0.1:8774/v2.1',
  neutron: 'http://127.0.0.1:9696',
} as const;

export const adminPassword = 'LABSECRET-admin';
export const servicePassword = 'LABSECRET-service';
/** Between Neutron's metadata agent, whose part a proxy of the lab plays, and Nova's metadata service. */
export const metadataSecret = 'LABSECRET-metadata';

/** Writes one file for each service, as an administrator does. The directory appears as /lab. */
export async function writeSettings(directory: string, settings: OpenStackSettings): Promise<void> {
  await mkdir(join(directory, 'etc'), { recursive: true });
  const files = { keystone: keystoneSettings(settings), nova: novaSettings, neutron: neutronSettings };
  await Promise.all(
    Object.entries(files).map(([name, text]) => writeFile(join(directory, 'etc', `${name}.conf`), text)),
  );
}

/** Losing what was written last in a power cut does no harm here. */
function database(name: string): string {
  return `connection = sqlite:////lab/db/${name}.sqlite\nsqlite_synchronous = false`;
}

/** TLS ends before the services, as usual. */
const behindProxy = '[oslo_middleware]\nenable_proxy_headers_parsing = true';

function keystoneSettings({ tokenSeconds }: OpenStackSettings): string {
  return `
[database]
${database('keystone')}
[fernet_tokens]
key_repository = /lab/keystone/fernet
[fernet_receipts]
key_repository = /lab/keystone/fernet
[credential]
key_repository = /lab/keystone/credential
[token]
expiration = ${String(tokenSeconds)}
${behindProxy}
`;
}

function serviceUser(name: string): string {
  return `
auth_url = ${internalUrls.keystone}
auth_type = password
username = ${name}
password = ${servicePassword}
project_name = service
user_domain_name = Default
project_domain_name = Default`;
}

function tokenChecks(name: string): string {
  return `
[keystone_authtoken]${serviceUser(name)}
www_authenticate_uri = ${internalUrls.keystone}
service_token_roles_required = true`;
}

const novaSettings = `
[DEFAULT]
state_path = /lab/nova
transport_url = fake://
my_ip = 127.0.0.1
[api_database]
${database('nova-api')}
[database]
${database('nova')}
[neutron]${serviceUser('nova')}
region_name = RegionOne
valid_interfaces = internal
service_metadata_proxy = true
metadata_proxy_shared_secret = ${metadataSecret}
${tokenChecks('nova')}
[api]
metadata_cache_expiration = 0
[oslo_concurrency]
lock_path = /lab/run
${behindProxy}
`;

/**
 * A port that names no host needs no agent. Trunks need a driver that knows them. The plugin for port forwarding
 * loads a model that lists of ports read. A Neutron that has just started answers 500 to them all the same, until
 * another list, such as that of networks, is read.
 */
const neutronSettings = `
[DEFAULT]
state_path = /lab/neutron
transport_url = fake://
core_plugin = ml2
service_plugins = router,trunk,port_forwarding
api_paste_config = /usr/share/neutron-common/api-paste.ini
notify_nova_on_port_status_changes = false
notify_nova_on_port_data_changes = false
dhcp_agent_notification = false
[database]
${database('neutron')}
[ml2]
mechanism_drivers = openvswitch
type_drivers = local
tenant_network_types = local
extension_drivers = port_security
${tokenChecks('neutron')}
[oslo_concurrency]
lock_path = /lab/run
${behindProxy}
`;
