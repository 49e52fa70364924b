import type { PlantedFault } from './planted-fault.ts';

const identities = ['test/node-agent/broker/identities.test.ts'];
const loginJob = ['test/node-agent/broker/logins/login-job.test.ts'];
const loginCache = ['test/node-agent/broker/logins/login-cache.test.ts'];
const slots = ['test/node-agent/broker/logins/login-slots.test.ts'];
const tokens = ['test/node-agent/broker/tokens/verify-token.test.ts'];
const clusterKeys = ['test/node-agent/broker/tokens/cluster-keys.test.ts'];
const host = ['test/node-agent/broker/host-views.test.ts'];
const directory = ['test/node-agent/broker/socket/socket-directory.test.ts'];
const broker = ['test/node-agent/broker/broker.test.ts'];

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'a token counts without its signature',
    file: 'node-agent/broker/tokens/verify-token.ts',
    find: 'if (!isSignedBy(claims, key)) return undefined;',
    replace: 'isSignedBy(claims, key);',
    tests: tokens,
  },
  {
    name: 'a token of another issuer counts',
    file: 'node-agent/broker/tokens/verify-token.ts',
    find: ' || issuer.name !== claims.issuer',
    replace: '',
    tests: tokens,
  },
  {
    name: 'an expired token counts',
    file: 'node-agent/broker/tokens/verify-token.ts',
    find: ' || nowMs >= claims.expiresAtMs',
    replace: '',
    tests: tokens,
  },
  {
    name: 'pods of all service accounts share a login',
    file: 'node-agent/broker/cached-logins.ts',
    find: "keyFor(['owner', sortedEntries({ ...owner, audiences: owner.audiences.toSorted() })])",
    replace: "keyFor(['owner', owner.issuer])",
    tests: identities,
  },
  {
    name: 'pods with other annotations share a login',
    file: 'node-agent/broker/cached-logins.ts',
    find: "['pod', sortedEntries(role), ...identityParts]",
    replace: "['pod', ...identityParts]",
    tests: identities,
  },
  {
    name: 'a login that ends with its token goes to another pod',
    file: 'node-agent/broker/cached-logins.ts',
    find: 'return login.endsWithToken && job.tokenKey !== tokenKey;',
    replace: 'return login.endsWithToken && job.tokenKey === tokenKey;',
    tests: identities,
  },
  {
    name: 'an expired token gets the login that it earned before',
    file: 'node-agent/broker/cached-logins.ts',
    find: 'tokenEndsAtMs === undefined || tokenEndsAtMs <= clock.wallMs()',
    replace: 'tokenEndsAtMs === undefined',
    tests: identities,
  },
  {
    name: 'a login outlives the token that it ends with',
    file: 'node-agent/broker/logins/login-job.ts',
    find: 'return endsWithToken ? Math.min(expiresAtMs, tokenEndsAtMs) : expiresAtMs;',
    replace: 'return endsWithToken ? Math.max(expiresAtMs, tokenEndsAtMs) : expiresAtMs;',
    tests: loginJob,
  },
  {
    name: 'an expired login is returned',
    file: 'node-agent/broker/logins/login-job.ts',
    find: 'expiresAtMs !== undefined && clock.wallMs() < expiresAtMs',
    replace: 'expiresAtMs !== undefined && clock.wallMs() > 0',
    tests: loginCache,
  },
  {
    name: 'an unavailable cloud is an error although there is a valid login',
    file: 'node-agent/broker/logins/login-cache.ts',
    find: 'if (before === undefined || !isValid(before.cached, clock)) throw error;',
    replace: 'if (before === undefined || isValid(before.cached, clock)) throw error;',
    tests: loginCache,
  },
  {
    name: 'requests at the same time each ask the cloud',
    file: 'node-agent/broker/logins/login-cache.ts',
    find: 'run: (key, work) => inFlight.get(key) ?? start(key, work),',
    replace: 'run: (key, work) => start(key, work),',
    tests: loginCache,
  },
  {
    name: 'a login that was under way when the configuration changed is cached',
    file: 'node-agent/broker/logins/login-cache.ts',
    find: 'if (isCurrent() && isValid(cached, clock))',
    replace: 'if (isValid(cached, clock))',
    tests: loginCache,
  },
  {
    name: 'any number of logins runs at once',
    file: 'node-agent/broker/logins/login-slots.ts',
    find: 'if (free > 0) {',
    replace: 'if (atOnce > 0) {',
    tests: slots,
  },
  {
    name: 'a free slot is not passed on',
    file: 'node-agent/broker/logins/login-slots.ts',
    find: 'waiting.delete(next);\n      next();',
    replace: 'waiting.delete(next);',
    tests: slots,
  },
  {
    name: 'a withdrawn key counts as long as the API server is down',
    file: 'node-agent/broker/tokens/cluster-keys.ts',
    find: 'last !== undefined && clock.monotonicMs() - last.atMs < longestUseMs ? last.issuer : undefined',
    replace: 'clock.monotonicMs() < longestUseMs * 1_000 ? last?.issuer : undefined',
    tests: clusterKeys,
  },
  {
    name: 'an unknown key id causes no new read',
    file: 'node-agent/broker/tokens/cluster-keys.ts',
    find: 'return !last.issuer.keys.has(keyId) && mayReadForUnknownKey();',
    replace: 'return last.issuer.keys.size === 0 && !last.issuer.keys.has(keyId) && mayReadForUnknownKey();',
    tests: clusterKeys,
  },
  {
    name: 'a file that only the host has counts as absent',
    file: 'node-agent/broker/host-views.ts',
    find: 'if (text === undefined) throw decline(path);',
    replace: '',
    tests: host,
  },
  {
    name: 'the directory of the socket may be open to others',
    file: 'node-agent/broker/socket/socket-directory.ts',
    find: "await files.chmod(directory, ownerOnly).catch(failed('cannot be given mode 0700'));",
    replace: '',
    tests: directory,
  },
  {
    name: 'a directory of another user is used',
    file: 'node-agent/broker/socket/socket-directory.ts',
    find: 'if (stats.uid !== owner)',
    replace: 'if (stats.uid !== stats.uid)',
    tests: directory,
  },
  {
    name: 'a request may be of any length',
    file: 'node-agent/broker/socket/handle-connection.ts',
    find: 'lengthBytes > brokerLimits.requestBytes + headerBytes;',
    replace: 'lengthBytes > bufferedBytesMax;',
    tests: broker,
  },
];
