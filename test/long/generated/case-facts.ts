import type { GeneratedCase } from './generated-case.ts';
import { cloudNames } from './hosts.ts';
import type { GeneratedCloudName } from './hosts.ts';

/** Not in a host table, and nothing is configured. */
export function isUnmatched({ request, files }: GeneratedCase): boolean {
  return request.owner === 'nobody' && isUntouched(request) && isUnconfigured(files['config.yaml'] ?? '');
}

/** The cloud that has to serve the image. `undefined`: none, or it is unclear. */
export function cloudOf({ request, files }: GeneratedCase): GeneratedCloudName | undefined {
  const cloud = cloudNames.find((name) => name === request.owner);
  const isElsewhere = cloud === 'gcp' && (files['config.yaml'] ?? '').includes('registryDomain');
  return isUntouched(request) && !isElsewhere ? cloud : undefined;
}

function isUntouched({ bytes, image }: GeneratedCase['request']): boolean {
  return parseObject(bytes)['image'] === image;
}

function isUnconfigured(yaml: string): boolean {
  return /^(?:\{\})?\s*$/.test(yaml);
}

/** The request as far as it can be read at all. */
export function parseObject(bytes: Buffer): Readonly<Record<string, unknown>> {
  return parsed(bytes.toString('utf8'));
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
