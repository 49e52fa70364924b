import * as z from 'zod/mini';

/** The fields of a kubeconfig that we read. https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ */
const text = z.optional(z.string());
/** Entries that the current context does not use are not checked. */
const namedList = z._default(z.nullable(z.array(z.looseObject({ name: z.string() }))), null);

export const KubeconfigFile = z.object({
  'current-context': text,
  contexts: namedList,
  clusters: namedList,
  users: namedList,
});
export type KubeconfigFile = z.infer<typeof KubeconfigFile>;

export const KubeconfigContext = z.object({ cluster: z.string(), user: text, namespace: text });

export const KubeconfigCluster = z.object({
  server: z.string(),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': z.optional(z.boolean()),
  'proxy-url': text,
});
export type KubeconfigCluster = z.infer<typeof KubeconfigCluster>;

const Exec = z.object({
  apiVersion: z.enum(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']),
  command: z.string().check(z.minLength(1)),
  args: z.optional(z.nullable(z.array(z.string()))),
  env: z.optional(z.nullable(z.array(z.object({ name: z.string(), value: z.string() })))),
  provideClusterInfo: z.optional(z.boolean()),
  interactiveMode: text,
});
export type KubeconfigExec = z.infer<typeof Exec>;

export const KubeconfigUser = z.object({
  token: text,
  tokenFile: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  exec: z.optional(Exec),
  username: text,
  'auth-provider': z.optional(z.unknown()),
  as: text,
});
export type KubeconfigUser = z.infer<typeof KubeconfigUser>;
