/**
 * All in which we answer otherwise than the program in whose place we are. A comparison names the ones that it meets, and
 * whatever else differs is a failure. The guide's table is this one.
 */
export const improvements = {
  versions: {
    what: 'requests of `v1beta1` and `v1alpha1`',
    theirs: 'refused',
    ours: 'answered in kind',
    differsIn: ['exit', 'asked'],
  },
  port: {
    what: 'a port in the image’s host',
    theirs: 'lost from the answer by ECR’s and ACR’s, so the kubelet does not find the login',
    ours: 'kept',
    differsIn: ['keys'],
  },
  kindOfHost: {
    what: 'FIPS and dual-stack hosts of ECR',
    theirs: 'the plain APIs are asked',
    ours: 'the APIs of that kind, STS too',
    differsIn: ['asked'],
  },
  fipsName: {
    what: 'FIPS by `AWS_USE_FIPS_ENDPOINT` or the profile',
    theirs: '`api.ecr-fips.<region>…` is asked, which AWS does not list',
    ours: '`ecr-fips.<region>…` is asked, which AWS lists',
    differsIn: ['asked'],
  },
  mistyped: {
    what: 'a profile’s `use_fips_endpoint` or `use_dualstack_endpoint` that is neither true nor false',
    theirs: 'counts as false',
    ours: 'a failure that names it',
    differsIn: ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType', 'as', 'asked'],
  },
  cache: {
    what: 'how long an answer is kept',
    theirs:
      'ECR: half the login’s life, or the kubelet’s default when it has passed; ACR: 5 minutes, later versions an hour; Google: not at all',
    ours: 'the smaller of half the login’s life and that life less 15 minutes; 0 without an end, so also for a secret of azure.json',
    differsIn: ['cacheDuration'],
  },
  nobodys: {
    what: 'the kind of an empty answer, which is kept for 0 s',
    theirs: 'ACR: for the registry',
    ours: 'for the image',
    differsIn: ['cacheKeyType'],
  },
  lookAlike: {
    what: 'a look-alike of a registry’s host; one with capitals, user-info or a dot at its end; another cloud’s registry',
    theirs: 'is sent a token, or the login of another cloud',
    ours: 'empty answer, nobody is asked',
    differsIn: ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType', 'as', 'asked'],
  },
  realm: {
    what: 'the realm that an ACR registry names',
    theirs: 'gets the node’s token, whatever its host, also without TLS',
    ours: 'the registry itself gets it, or nobody',
    differsIn: ['exit', 'login', 'asked'],
  },
  mirrorName: {
    what: '`--registry-mirror` with a port, or what cannot be read of it',
    theirs: 'left out, in silence',
    ours: 'a port is served; the rest is an error',
    differsIn: ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType', 'as', 'asked'],
  },
  partOfHost: {
    what: 'a mirror, or an entry of our configuration, for a part of a host',
    theirs: 'kept for the whole host',
    ours: 'kept for the image',
    differsIn: ['cacheKeyType'],
  },
  podOfAzure: {
    what: 'a pod’s token at ACR’s',
    theirs: 'not looked at (1.32.4)',
    ours: 'the pod logs in, or nobody does',
    differsIn: ['exit', 'login', 'as', 'asked', 'keys'],
  },
  principalKeys: {
    what: 'the secret of a service principal in azure.json',
    theirs: 'answered for `*.azurecr.io`, `*.azurecr.cn`, `*.azurecr.de`, `*.azurecr.us`',
    ours: 'answered for the registry that the image is in',
    differsIn: ['keys'],
  },
  nobodyNamed: {
    what: 'an azure.json that names neither a managed identity nor a service principal',
    theirs: 'an answer without a login',
    ours: 'an error that says so',
    differsIn: ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType'],
  },
  roleAnnotation: {
    what: '`eks.amazonaws.com/role-arn` on the service account',
    theirs: 'not looked at',
    ours: 'as good as `ecr-role-arn`',
    differsIn: ['as', 'asked'],
  },
  stsOfPublic: {
    what: 'a pod’s role for ECR Public',
    theirs: 'STS of `AWS_REGION`, and a failure without one',
    ours: 'STS of us-east-1, where ECR Public is',
    differsIn: ['exit', 'login', 'asked'],
  },
  passed: {
    what: 'a login without an end or past it, and one that is no login',
    theirs: 'kept for the kubelet’s default time; ACR: an empty password, kept like any other',
    ours: 'kept for 0 s; an error where there is none',
    differsIn: ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType'],
  },
  podsTenant: {
    what: 'a service account with `kubernetes.azure.com/acr-client-id` and no `kubernetes.azure.com/acr-tenant-id`',
    theirs: 'an error (later versions of ACR’s)',
    ours: 'the pod logs in, in the `tenantId` of azure.json',
    differsIn: [],
  },
  cacheTypeCase: {
    what: '`KUBE_SIDECAR_CACHE_TYPE`',
    theirs: '`image`, `registry` or `global`, in lower case',
    ours: 'in any case',
    differsIn: [],
  },
  googlesFailure: {
    what: 'a failure of Google’s',
    theirs: 'exit 0 without a login, so the pull goes on anonymously',
    ours: 'exit 1 and one line that says why',
    differsIn: [],
  },
  googlesCache: {
    what: 'one token for Google’s hosts',
    theirs: 'for each image, and an e-mail address is asked for that nobody needs',
    ours: 'for all images of the host, one request',
    differsIn: [],
  },
  metadata: {
    what: 'metadata services',
    theirs: 'through `HTTP_PROXY`, redirects followed with the session’s token',
    ours: 'directly, never redirected',
    differsIn: ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType', 'asked', 'as'],
  },
  patience: {
    what: 'throttling, time limits',
    theirs: 'Retry-After is not read, ACR’s and Google’s try once; no limit of the whole',
    ours: 'Retry-After is kept; an answer or a reason within 50 s',
    differsIn: ['exit', 'login', 'asked'],
  },
} as const satisfies Readonly<Record<string, Improvement>>;

export type ImprovementName = keyof typeof improvements;

export interface Improvement {
  readonly what: string;
  readonly theirs: string;
  readonly ours: string;
  /** What of two calls may differ for it; none: where no program is to compare with. */
  readonly differsIn: readonly Difference[];
}

/** In what two calls can differ: by their ends, by the answers' fields, and by whom they asked as whom. */
export const differences = ['exit', 'login', 'keys', 'cacheDuration', 'cacheKeyType', 'as', 'asked'] as const;
export type Difference = (typeof differences)[number];
