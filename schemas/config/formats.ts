import * as z from 'zod/mini';

/** Formats that several parts of the configuration use. */
export const absolutePath = z.string().check(z.regex(/^\//, 'must be an absolute path'));
const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const port = '(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])';
const pathSegment = '[a-z0-9]+(?:[._-]+[a-z0-9]+)*';
/** A name without a dot needs a port, unless it is `localhost`. Helm's regular expressions have no look-ahead. */
const hostAndPort = `(?:(?:localhost|${label}(?:\\.${label})+)(?::${port})?|${label}:${port})`;
const hostAndPathPattern = new RegExp(`^${hostAndPort}(?:/${pathSegment})*$`);
export const hostAndPath = z
  .string()
  .check(
    z.regex(
      hostAndPathPattern,
      'must be host[:port][/path], in lower case, without a tag; the host is a name or an IPv4 address',
    ),
  );
export const annotationKey = z.string().check(z.regex(/^[\w.-]+\/[\w.-]+$/, 'must be a key such as example.com/role'));
export const name = z.string().check(z.minLength(1, 'must not be empty'));
/** Hosts below it go into URLs, and a host that ends in a number must be an IPv4 address there. */
export const domain = z.string().check(
  z.regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'must be a domain such as googleapis.com'),
  z.refine((text) => URL.canParse(`https://host.${text}`), 'must be a domain such as googleapis.com'),
);
export const httpsUrl = z.string().check(
  z.regex(/^https:\/\/[a-z0-9.-]+(?::\d{1,5})?\/?$/, 'must be https://host[:port], without a path'),
  z.refine((text) => URL.canParse(text), 'has a host or a port that does not exist'),
);

export const annotationKeys = z.array(annotationKey).check(z.minLength(1, 'needs at least one key'));
