import { isMap, isSeq, parseDocument, stringify } from 'yaml';
import { Failure } from '../../lib/failure.ts';

/** An entry of the kubelet's file; only the name matters here. */
export interface NamedEntry {
  readonly name: string;
}

const head = { apiVersion: 'kubelet.config.k8s.io/v1', kind: 'CredentialProviderConfig' } as const;

/**
 * Adds entries to the kubelet's file, or replaces those of the same name, and keeps everything else with its comments. The
 * kubelet tries logins in the order of the file, so ours come first. `text`: `undefined` if there is no file. Pure.
 */
export function mergeConfig(text: string | undefined, entries: readonly NamedEntry[], file: string): string {
  if (text === undefined) return stringify({ ...head, providers: entries });
  const document = parseDocument(text);
  const providers: unknown = document.get('providers');
  if (document.errors.length > 0 || !isMap(document.contents) || (providers !== null && !isSeq(providers))) {
    throw new Failure('misconfigured', `${file} is not a file for the kubelet's credential providers`, {
      remedy: 'see `polycloud-credential-provider config lint`',
    });
  }
  const names = new Set(entries.map(({ name }) => name));
  const others = isSeq(providers) ? providers.items.filter((item) => !names.has(nameOf(item))) : [];
  document.set('providers', document.createNode([...entries.map((entry) => document.createNode(entry)), ...others]));
  return isJson(text) ? `${JSON.stringify(document.toJSON(), null, 2)}\n` : document.toString();
}

/** What is left of a merged file without our entries. `undefined`: no entries. Pure. */
export function removeEntries(text: string, entries: readonly NamedEntry[]): string | undefined {
  const ours = new Set(entries.map(({ name }) => name));
  const document = parseDocument(text);
  const providers: unknown = document.get('providers');
  if (!isSeq(providers) || providers.items.every((item) => ours.has(nameOf(item)))) return undefined;
  providers.items = providers.items.filter((item) => !ours.has(nameOf(item)));
  return isJson(text) ? `${JSON.stringify(document.toJSON(), null, 2)}\n` : document.toString();
}

function nameOf(item: unknown): string {
  return isMap(item) ? String(item.get('name')) : '';
}

/** The names of the entries in a kubelet's file; empty if it cannot be read. */
export function entryNames(text: string): readonly string[] {
  const providers: unknown = parseDocument(text).get('providers');
  return isSeq(providers) ? providers.items.map(nameOf) : [];
}

function isJson(text: string): boolean {
  return text.trimStart().startsWith('{');
}
