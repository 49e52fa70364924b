/** An address that can be asked over HTTP; `undefined`: the text is something else, such as `localhost:4566`. */
export function parseHttpAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : undefined;
}
