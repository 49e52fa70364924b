/** Where a registry sends those that want a login. */
export interface Challenge {
  readonly realm: string;
  readonly service: string;
}

const parameter = /([a-z]+)\s*=\s*(?:"([^"]*)"|([^\s",]+))/gi;

/** Reads `Bearer realm="…",service="…"`, with or without quotes; `undefined`: it asks for something else. */
export function parseChallenge(header: string): Challenge | undefined {
  const start = /(?:^|,\s*)bearer\s/i.exec(header);
  if (start === null) return undefined;
  const found = new Map<string, string>();
  for (const [, name = '', quoted, bare] of header.slice(start.index).matchAll(parameter)) {
    // The first one counts: another scheme's parameters can come after.
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), quoted ?? bare ?? '');
  }
  const realm = found.get('realm');
  const service = found.get('service');
  return realm && service ? { realm, service } : undefined;
}
