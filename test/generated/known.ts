import type { GeneratedCase } from './cases.ts';

/** Not in a host table, and nothing is configured. */
export function isNobodys({ request, files }: GeneratedCase): boolean {
  const { image, nobodys } = request;
  return nobodys && sent(request.bytes)['image'] === image && /^(?:\{\})?\s*$/.test(files['config.yaml'] ?? '');
}

/** The request as far as it can be read at all. */
export function sent(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}
