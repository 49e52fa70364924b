/**
 * Does Go's URL parser accept this after `https://`? The kubelet requires nothing else of an entry of matchImages.
 * https://pkg.go.dev/net/url#Parse
 */
export function isMatchImage(text: string): boolean {
  if (text.split('').some(isControl)) return false;
  const [beforeFragment = '', ...fragment] = text.split('#');
  if (!hasRightEscapes(fragment.join('#'))) return false;
  const [withoutQuery = ''] = beforeFragment.split('?', 1);
  const slashAt = withoutQuery.indexOf('/');
  const authority = slashAt < 0 ? withoutQuery : withoutQuery.slice(0, slashAt);
  return isAuthority(authority) && hasRightEscapes(slashAt < 0 ? '' : withoutQuery.slice(slashAt));
}

const wrongEscape = /%(?![0-9a-fA-F]{2})/;
const userInfoPattern = /^[\w.~!$&'()*+,;=:%@-]*$/;
const bracketed = /^\[[0-9a-fA-F:.]+(?:%25[^\]]*)?\](?::\d*)?$/;
/** Go accepts some characters that are not valid in a host. */
const hostPattern = /^(?:[\w.~!$&'()*+,;=<>"[\]-]|[^\0-\x7f]|%[89a-fA-F][0-9a-fA-F])*(?::\d*)?$/;

function isControl(character: string): boolean {
  return character < ' ' || character === '\x7f';
}

function hasRightEscapes(text: string): boolean {
  return !wrongEscape.test(text);
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  const userInfo = at < 0 ? '' : authority.slice(0, at);
  const host = authority.slice(at + 1);
  if (!userInfoPattern.test(userInfo) || !hasRightEscapes(userInfo)) return false;
  return host.startsWith('[') ? bracketed.test(host) : hostPattern.test(host);
}
