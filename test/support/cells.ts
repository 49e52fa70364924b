/** Whose login is asked for, what the support table calls it, and the cloud that has it. */
export const registries = {
  ecr: { label: 'ECR', cloud: 'aws' },
  'ecr-public': { label: 'ECR Public', cloud: 'aws' },
  acr: { label: 'ACR', cloud: 'azure' },
  gcr: { label: 'Container Registry', cloud: 'gcp' },
  'artifact-registry': { label: 'Artifact Registry', cloud: 'gcp' },
  docr: { label: 'DOCR', cloud: 'digitalocean' },
  static: { label: 'a stored login', cloud: 'static' },
} as const;
export type RegistryName = keyof typeof registries;

/** Who logs in. */
export const identities = {
  'node of aws': 'a node on AWS',
  'node of azure': 'a node on Azure',
  'node of gcp': 'a node on Google Cloud',
  'node of nobody': 'a node at home, by a token in a file',
  pod: 'a pod, by its service account',
  'keys of the environment': 'access keys in the environment',
  profile: 'a profile of the shared AWS files',
  'role taken on': 'a role that the node takes on, also of another account',
  'token file': 'a token in a file that the environment names',
  'container endpoint': 'the endpoint of EKS Pod Identity or ECS',
  'managed identity by client id': 'one of several managed identities',
  'client secret': 'an application with a secret',
  'another tenant': 'an application of another tenant',
  'credentials file': 'the file of GOOGLE_APPLICATION_CREDENTIALS',
  'one of several accounts': 'one of several service accounts',
  'API token': 'an API token in a file or in the environment',
} as const;
export type IdentityName = keyof typeof identities;

/** What the docs claim, and the test that shows it, named after the cell: `acr × pod`, perhaps with more behind it. */
export interface Cell {
  readonly registry: RegistryName;
  readonly identity: IdentityName;
  readonly outcome: 'login' | 'refused';
  readonly file: string;
}

const allCellsTest = 'test/system/programs/cells/cells.test.ts';
const everyNode = ['node of aws', 'node of azure', 'node of gcp', 'node of nobody'] as const;
const everyCloudRegistry = ['ecr', 'ecr-public', 'acr', 'gcr', 'artifact-registry'] as const;

export const cells: readonly Cell[] = [
  ...everyNode.flatMap((identity) =>
    [...everyCloudRegistry, 'static' as const].map((registry) => login(registry, identity, allCellsTest)),
  ),
  ...everyCloudRegistry.map((registry) => login(registry, 'pod', allCellsTest)),
  { registry: 'static', identity: 'pod', outcome: 'refused', file: allCellsTest },
  login('ecr', 'keys of the environment', 'test/system/programs/identities.test.ts'),
  login('ecr', 'profile', 'test/system/programs/identities.test.ts'),
  login('ecr', 'role taken on', 'test/system/programs/identities.test.ts'),
  login('ecr', 'token file', 'test/system/programs/identities.test.ts'),
  login('ecr', 'container endpoint', 'test/system/programs/container-credentials.test.ts'),
  login('acr', 'managed identity by client id', 'test/system/programs/azure.test.ts'),
  login('acr', 'client secret', 'test/system/programs/azure.test.ts'),
  login('acr', 'another tenant', 'test/system/programs/azure.test.ts'),
  login('acr', 'token file', 'test/system/programs/azure.test.ts'),
  login('artifact-registry', 'credentials file', 'test/system/programs/google.test.ts'),
  login('artifact-registry', 'one of several accounts', 'test/system/programs/google.test.ts'),
  login('docr', 'API token', 'test/system/programs/digitalocean.test.ts'),
  { registry: 'docr', identity: 'pod', outcome: 'refused', file: 'test/system/programs/digitalocean.test.ts' },
];

function login(registry: RegistryName, identity: IdentityName, file: string): Cell {
  return { registry, identity, outcome: 'login', file };
}

export function cellName({ registry, identity }: Pick<Cell, 'registry' | 'identity'>): string {
  return `${registry} × ${identity}`;
}

/** For a file that makes its tests from the table: so none is missing. */
export function cellsOf(file: string): readonly Cell[] {
  return cells.filter((cell) => cell.file === file);
}
