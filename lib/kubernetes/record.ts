export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of a missing field is missing too. */
export function recordAt(value: unknown, key: string): JsonRecord {
  const part = isRecord(value) ? value[key] : undefined;
  return isRecord(part) ? part : {};
}

/** `undefined`: not a string, or an empty one, which Go encodes for a missing one. */
export function textAt(record: JsonRecord, key: string): string | undefined {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
