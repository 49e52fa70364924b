/** As much of the Prometheus operator's kinds as we write. https://prometheus-operator.dev/docs/api-reference/api/ */
const text = { type: 'string' };
const texts = { type: 'object', additionalProperties: text };
const object = (properties: object): object => ({ type: 'object', properties });
const list = (items: object): object => ({ type: 'array', items });
const keyOfSecret = object({ name: text, key: text });
const endpoint = {
  port: text,
  scheme: text,
  path: text,
  interval: text,
  tlsConfig: object({
    ca: object({ secret: keyOfSecret }),
    serverName: text,
    insecureSkipVerify: { type: 'boolean' },
  }),
};
const selector = object({ matchLabels: texts });
const rule = {
  alert: text,
  expr: { 'x-kubernetes-int-or-string': true },
  for: text,
  labels: texts,
  annotations: texts,
};

/** The spec of each kind. */
const specs: Readonly<Record<string, object>> = {
  ServiceMonitor: object({ selector, endpoints: list(object({ ...endpoint, bearerTokenFile: text })) }),
  PodMonitor: object({
    selector,
    podMetricsEndpoints: list(object({ ...endpoint, authorization: object({ credentials: keyOfSecret }) })),
  }),
  PrometheusRule: object({ groups: list(object({ name: text, rules: list(object(rule)) })) }),
};

/** As Helm knows them. */
export const monitoringKinds = Object.keys(specs).map((kind) => `monitoring.coreos.com/v1/${kind}`);

export const monitoringDefinitions = Object.entries(specs).map(([kind, spec]) => {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.monitoring.coreos.com` },
    spec: {
      group: 'monitoring.coreos.com',
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: object({ spec }) } }],
    },
  };
});
