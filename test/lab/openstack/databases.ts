import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { runOrThrow } from '../../../build/run.ts';
import { insideRoot } from './inside-root.ts';
import { adminPassword, internalUrls, writeSettings } from './settings.ts';

/** Empty databases of the services, Keystone's keys and its administrator. Slow, so it is done once and copied then. */
export async function createDatabases(root: string, template: string): Promise<void> {
  const directories = ['db', 'keystone/fernet', 'keystone/credential', 'nova', 'neutron', 'run'];
  for (const name of directories) await mkdir(join(template, name), { recursive: true });
  await writeSettings(template, { tokenSeconds: 3600 });
  for (const command of commands) {
    const { file, args } = insideRoot({ root, work: template }, command);
    await runOrThrow(file, args, { stdin: '' });
  }
  await allowReadersBesideWriters(join(template, 'db'));
  await rm(join(template, 'run'), { recursive: true });
}

const keystoneManage = ['keystone-manage', '--config-file', '/lab/etc/keystone.conf'];
const novaManage = ['nova-manage', '--config-file', '/lab/etc/nova.conf'];
const asRoot = ['--keystone-user', 'root', '--keystone-group', 'root'];
const cell0 = ['--database_connection', 'sqlite:////lab/db/nova-cell0.sqlite'];
const cell1 = ['--database_connection', 'sqlite:////lab/db/nova.sqlite', '--transport-url', 'fake://'];
const keystoneUrls = ['public', 'internal', 'admin'].flatMap((name) => [
  `--bootstrap-${name}-url`,
  internalUrls.keystone,
]);
const keystoneAdmin = ['--bootstrap-password', adminPassword, '--bootstrap-region-id', 'RegionOne'];

/** Neutron's migrations do not know SQLite; its models do. */
const neutronTables = `
import sqlalchemy
from neutron.common import config
config.register_common_config_options()
from neutron.db.migration.models import head
head.get_metadata().create_all(sqlalchemy.create_engine('sqlite:////lab/db/neutron.sqlite'))
`;

const commands = [
  [...keystoneManage, 'db_sync'],
  [...keystoneManage, 'fernet_setup', ...asRoot],
  [...keystoneManage, 'credential_setup', ...asRoot],
  [...keystoneManage, 'bootstrap', ...keystoneUrls, ...keystoneAdmin],
  [...novaManage, 'api_db', 'sync'],
  [...novaManage, 'cell_v2', 'map_cell0', ...cell0],
  [...novaManage, 'cell_v2', 'create_cell', '--name', 'cell1', ...cell1],
  [...novaManage, 'db', 'sync'],
  ['python3', '-c', neutronTables],
];

/** Otherwise a service answers "database is locked". The setting is kept in the file. */
async function allowReadersBesideWriters(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    const database = new DatabaseSync(join(directory, name));
    database.exec('PRAGMA journal_mode = WAL');
    database.close();
  }
}
