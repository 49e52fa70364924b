import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { projectDirectory } from '../../../../build/project.ts';

/** One of the examples for pods, as far as a kubelet and its API server act on it. */
export interface PodExample {
  readonly directory: string;
  readonly matchImages: readonly string[];
  readonly audience: string;
  /** Of its service account, those that the kubelet would send. */
  readonly annotations: Readonly<Record<string, string>>;
  /** What kubelets may ask for by its role. */
  readonly allowedAudiences: readonly string[];
  readonly configFile: string;
}

interface Entry {
  readonly matchImages: readonly string[];
  readonly tokenAttributes: {
    readonly serviceAccountTokenAudience: string;
    readonly requiredServiceAccountAnnotationKeys?: readonly string[];
    readonly optionalServiceAccountAnnotationKeys?: readonly string[];
  };
}

export async function readPodExample(name: string): Promise<PodExample> {
  const directory = join(projectDirectory, 'docs/examples', name);
  const read = (file: string): Promise<string> => readFile(join(directory, file), 'utf8');
  const { providers } = parse(await read('credential-provider-config.yaml')) as {
    readonly providers: readonly [Entry];
  };
  const { metadata } = parse(await read('service-account.yaml')) as {
    readonly metadata: { readonly annotations: Record<string, string> };
  };
  const [{ matchImages, tokenAttributes }] = providers;
  const required = tokenAttributes.requiredServiceAccountAnnotationKeys ?? [];
  const keys = [...required, ...(tokenAttributes.optionalServiceAccountAnnotationKeys ?? [])];
  const missing = required.find((key) => metadata.annotations[key] === undefined);
  if (missing !== undefined) throw new Error(`${name}: a kubelet would not ask us for want of ${missing}`);
  return {
    directory,
    matchImages,
    audience: tokenAttributes.serviceAccountTokenAudience,
    annotations: Object.fromEntries(Object.entries(metadata.annotations).filter(([key]) => keys.includes(key))),
    allowedAudiences: audiencesIn(await read('rbac.yaml')),
    configFile: join(directory, 'config.yaml'),
  };
}

interface Role {
  readonly kind: string;
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[];
}

function audiencesIn(yaml: string): readonly string[] {
  const objects = parseAllDocuments(yaml).map((document) => document.toJS() as Role);
  const rules = objects.flatMap(({ rules: each = [] }) => each);
  return rules
    .filter(({ verbs }) => verbs.includes('request-serviceaccounts-token-audience'))
    .flatMap(({ resources }) => resources);
}
