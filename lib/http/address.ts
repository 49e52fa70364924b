/** A URL with the scheme http or https; `undefined` for any other text, such as `localhost:4566`. */
export function parseHttpAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : undefined;
}
