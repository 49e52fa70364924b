/**
 * All intended differences from the programs that we emulate. A comparison names those that it meets; any other
 * difference is a failure. The guide lists the same.
 */
export const improvements = {
  versions: {
    what: 'requests of `v1beta1` and `v1alpha1`',
    theirs: 'refuses them',
    ours: 'answers in the version of the request',
    differsIn: ['exit', 'asked'],
  },
  port: {
    what: 'a port in the image’s host',
    theirs: 'ECR’s and ACR’s drop it from the response, so the kubelet does not find the login',
    ours: 'keeps it',
    differsIn: ['keys'],
  },
  kindOfHost: {
    what: 'FIPS and dual-stack hosts of ECR',
    theirs: 'calls the plain APIs',
    ours: 'calls the APIs of that kind, also for STS',
    differsIn: ['asked'],
  },
  fipsName: {
    what: 'FIPS by `AWS_USE_FIPS_ENDPOINT` or the profile',
    theirs: 'calls `api.ecr-fips.<region>…`, which AWS does not list',
    ours: 'calls `ecr-fips.<region>…`, which AWS lists',
    differsIn: ['asked'],
  },
  mistyped: {
    what: 'a profile’s `use_fips_endpoint` or `use_dualstack_endpoint` that is neither true nor false',
    theirs: 'takes it for false',
    ours: 'fails and names it',
    differsIn: ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType', 'as', 'asked'],
  },
  cache: {
    what: 'how long the kubelet caches a login',
    theirs:
      'ECR’s: half of the login’s life, or the kubelet’s default if it has expired; ACR’s: 5 minutes, later versions an hour; Google’s: not at all',
    ours: 'the smaller of half of the login’s life and that life less 15 minutes; not at all without a time of expiry, as for a secret of azure.json',
    differsIn: ['cacheDuration'],
  },
  emptyResponse: {
    what: 'the cache key of an empty response, which is cached for 0 s',
    theirs: 'ACR’s: the registry',
    ours: 'the image',
    differsIn: ['cacheKeyType'],
  },
  lookAlike: {
    what: 'a look-alike of a registry’s host: with capitals, user-info or a dot at its end, or another cloud’s registry',
    theirs: 'sends it a token, or the login of another cloud',
    ours: 'returns an empty response and contacts no one',
    differsIn: ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType', 'as', 'asked'],
  },
  realm: {
    what: 'the realm that an ACR registry names',
    theirs: 'sends the node’s token to any host, also without TLS',
    ours: 'sends it only to the registry itself',
    differsIn: ['exit', 'login', 'asked'],
  },
  mirrorName: {
    what: '`--registry-mirror` with a port, or with a value that cannot be parsed',
    theirs: 'ignores it silently',
    ours: 'serves a port; any other value is an error',
    differsIn: ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType', 'as', 'asked'],
  },
  partOfHost: {
    what: 'a mirror, or an entry of our configuration, for a part of a host',
    theirs: 'cached for the whole host',
    ours: 'cached for the image',
    differsIn: ['cacheKeyType'],
  },
  podOfAzure: {
    what: 'a pod’s token for ACR',
    theirs: 'ignores it (1.32.4)',
    ours: 'logs in as the pod, and never as the node instead',
    differsIn: ['exit', 'login', 'as', 'asked', 'keys'],
  },
  principalKeys: {
    what: 'the secret of a service principal in azure.json',
    theirs: 'returns it for `*.azurecr.io`, `*.azurecr.cn`, `*.azurecr.de`, `*.azurecr.us`',
    ours: 'returns it for the registry of the image',
    differsIn: ['keys'],
  },
  nobodyNamed: {
    what: 'an azure.json that names neither a managed identity nor a service principal',
    theirs: 'returns a response without a login',
    ours: 'fails and names the reason',
    differsIn: ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType'],
  },
  roleAnnotation: {
    what: '`eks.amazonaws.com/role-arn` on the service account',
    theirs: 'ignores it',
    ours: 'uses it like `ecr-role-arn`',
    differsIn: ['as', 'asked'],
  },
  stsOfPublic: {
    what: 'a pod’s role for ECR Public',
    theirs: 'uses STS of `AWS_REGION`, and fails without that variable',
    ours: 'uses STS of us-east-1, where ECR Public is',
    differsIn: ['exit', 'login', 'asked'],
  },
  passed: {
    what: 'a login that is empty, has expired or has no time of expiry',
    theirs: 'caches it for the kubelet’s default time; ACR’s caches an empty password too',
    ours: 'caches it for 0 s, and fails if it is empty',
    differsIn: ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType'],
  },
  podsTenant: {
    what: 'a service account with `kubernetes.azure.com/acr-client-id` and no `kubernetes.azure.com/acr-tenant-id`',
    theirs: 'fails (later versions of ACR’s)',
    ours: 'logs in as the pod, in the `tenantId` of azure.json',
    differsIn: [],
  },
  cacheTypeCase: {
    what: '`KUBE_SIDECAR_CACHE_TYPE`',
    theirs: 'takes `image`, `registry` or `global`, in lower case',
    ours: 'takes them in any case',
    differsIn: [],
  },
  googlesFailure: {
    what: 'a failure of Google’s',
    theirs: 'exits with 0 and no login, so the pull goes on anonymously',
    ours: 'exits with 1 and one line with the reason',
    differsIn: [],
  },
  googlesCache: {
    what: 'the token for Google’s hosts',
    theirs: 'requests one for each image, and an e-mail address that it does not need',
    ours: 'requests one for all images of the host',
    differsIn: [],
  },
  metadata: {
    what: 'metadata services',
    theirs: 'uses `HTTP_PROXY`, and follows redirects with the session’s token',
    ours: 'connects directly, and never follows a redirect',
    differsIn: ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType', 'asked', 'as'],
  },
  patience: {
    what: 'throttling and time limits',
    theirs: 'ignores Retry-After; ACR’s and Google’s try once; there is no total limit',
    ours: 'honours Retry-After, and responds or fails within 50 s',
    differsIn: ['exit', 'login', 'asked'],
  },
} as const satisfies Readonly<Record<string, Improvement>>;

export type ImprovementName = keyof typeof improvements;

export interface Improvement {
  readonly what: string;
  readonly theirs: string;
  readonly ours: string;
  /** What may differ between two calls because of it. Empty: there is no program to compare with. */
  readonly differsIn: readonly Difference[];
}

/** How two calls can differ: the exit code, the fields of the response, the requests and their identity. */
export const differences = ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType', 'as', 'asked'] as const;
export type Difference = (typeof differences)[number];
