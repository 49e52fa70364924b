import { parseDocument } from 'yaml';
import type { ZodMiniType } from 'zod/mini';
import { Failure } from '../../failure.ts';
import { KubeconfigCluster, KubeconfigContext, KubeconfigFile, KubeconfigUser } from './kubeconfig-schema.ts';
import { readSettings } from './kubeconfig-settings.ts';
import type { KubeconfigSettings } from './kubeconfig-settings.ts';

/** The current context's cluster and user. Pure: does not read the files that it names. No message quotes a value. */
export function parseKubeconfig(text: string, path: string): KubeconfigSettings {
  const file = check(KubeconfigFile, readYaml(text, path), path);
  const contextName = file['current-context'] ?? '';
  if (contextName === '') throw wrongKubeconfig(path, 'has no current-context');
  const context = check(KubeconfigContext, pick(file, 'context', contextName, path), path);
  const cluster = check(KubeconfigCluster, pick(file, 'cluster', context.cluster, path), path);
  const hasUser = context.user !== undefined && context.user !== '';
  const user = check(KubeconfigUser, hasUser ? pick(file, 'user', context.user, path) : {}, path);
  return readSettings(cluster, user, path);
}

function readYaml(text: string, path: string): unknown {
  try {
    // Warnings would go to standard error, and quote the file.
    const document = parseDocument(text, { strict: true, uniqueKeys: true, logLevel: 'error' });
    if (document.errors.length === 0) return document.toJS();
  } catch {
    // An unknown alias. It is reported below like every other mistake.
  }
  throw wrongKubeconfig(path, 'is not YAML');
}

type Section = 'context' | 'cluster' | 'user';

function pick(file: KubeconfigFile, section: Section, name: string | undefined, path: string): unknown {
  const entry = file[`${section}s`]?.find((each) => each.name === name);
  if (entry === undefined) throw wrongKubeconfig(path, `has no ${section} ${JSON.stringify(name)}`);
  return entry[section] ?? {};
}

function check<T>(schema: ZodMiniType<T>, value: unknown, path: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const where = parsed.error.issues[0]?.path.join('.') || 'the file';
  throw wrongKubeconfig(path, `has no usable value at ${where}`);
}

function wrongKubeconfig(path: string, what: string): Failure {
  return new Failure('misconfigured', `kubeconfig ${path} ${what}`, {
    remedy: 'correct the file, or name another with --kubeconfig',
  });
}
