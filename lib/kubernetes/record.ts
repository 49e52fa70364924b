export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A part that is not there has no parts either. */
export function recordAt(value: unknown, key: string): JsonRecord {
  const part = isRecord(value) ? value[key] : undefined;
  return isRecord(part) ? part : {};
}

/** `undefined`: no text, or an empty one, which Go writes for the same. */
export function textAt(record: JsonRecord, key: string): string | undefined {
  const value = record[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
