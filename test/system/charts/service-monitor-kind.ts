/** As much of the Prometheus operator's kind as we write. */
const strings = { type: 'object', additionalProperties: { type: 'string' } };
const endpoint = {
  type: 'object',
  properties: {
    port: { type: 'string' },
    scheme: { type: 'string' },
    path: { type: 'string' },
    interval: { type: 'string' },
    bearerTokenFile: { type: 'string' },
    tlsConfig: { type: 'object', properties: { insecureSkipVerify: { type: 'boolean' } } },
  },
};
export const serviceMonitor = 'monitoring.coreos.com/v1/ServiceMonitor';
export const serviceMonitorKind = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'servicemonitors.monitoring.coreos.com' },
  spec: {
    group: 'monitoring.coreos.com',
    scope: 'Namespaced',
    names: { plural: 'servicemonitors', singular: 'servicemonitor', kind: 'ServiceMonitor' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  selector: { type: 'object', properties: { matchLabels: strings } },
                  endpoints: { type: 'array', items: endpoint },
                },
              },
            },
          },
        },
      },
    ],
  },
};
