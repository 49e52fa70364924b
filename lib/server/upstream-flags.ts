import type { UpstreamFlags } from '../command-line/upstream-flags.ts';

/** What the vendors' programs have for serving, authentication, authorization and logs. */
export const upstreamServerFlags: readonly UpstreamFlags[] = [
  {
    flags: ['--disable-http2-serving', '--http2-max-streams-per-connection COUNT'],
    why: 'only HTTP/1.1 is served',
  },
  {
    flags: ['--permit-address-sharing', '--permit-port-sharing'],
    why: 'a program waits until its port is free',
  },
  {
    flags: ['--tls-sni-cert-key PAIR'],
    why: 'there is one certificate for all names',
    refused: { instead: 'give --tls-cert-file and --tls-private-key-file' },
  },
  {
    flags: ['--tls-curve-preferences LIST'],
    why: 'Node.js chooses the curves',
    refused: { instead: 'leave it out' },
  },
  {
    flags: ['--port PORT'],
    why: 'nothing is served without TLS',
    refused: { unless: ['0'], instead: 'leave it out, and use --secure-port' },
  },
  { flags: ['--address IP'], why: 'nothing is served without TLS' },
  {
    flags: ['--authentication-skip-lookup'],
    why: 'the authority of client certificates is always read from the cluster',
    refused: { unless: ['false'], instead: 'leave it out' },
  },
  {
    flags: ['--client-ca-file FILE'],
    why: 'only client certificates of the cluster’s own authority count',
    refused: { instead: 'leave it out, and give readers of /metrics a token or such a certificate' },
  },
  {
    flags: ['--authentication-tolerate-lookup-failure'],
    why: 'while the authority cannot be read, readers of /metrics are refused, and the rest works',
  },
  {
    flags: [
      '--requestheader-allowed-names LIST',
      '--requestheader-client-ca-file FILE',
      '--requestheader-extra-headers-prefix LIST',
      '--requestheader-group-headers LIST',
      '--requestheader-uid-headers LIST',
      '--requestheader-username-headers LIST',
    ],
    why: 'a proxy cannot name another user',
  },
  {
    flags: [
      '--authentication-token-webhook-cache-ttl DURATION',
      '--authorization-webhook-cache-authorized-ttl DURATION',
      '--authorization-webhook-cache-unauthorized-ttl DURATION',
    ],
    why: 'the time is fixed: 10 seconds in the controller, 2 minutes in the agent',
  },
  {
    flags: ['--authorization-always-allow-paths LIST'],
    why: 'only /healthz, /livez and /readyz are served to everyone',
    refused: {
      unless: ['/healthz', '/livez', '/readyz'],
      instead: 'leave it out, and allow the readers of /metrics: metrics.readers in the chart',
    },
  },
  {
    flags: ['--contention-profiling', '--profiling'],
    why: 'there are no pages for profiling',
  },
  {
    flags: [
      '--alsologtostderr',
      '--log-dir DIR',
      '--log-file FILE',
      '--log-file-max-size SIZE',
      '--log-json-split-stream',
      '--log-text-split-stream',
      '--logtostderr',
      '--one-output',
      '--stderrthreshold SEVERITY',
    ],
    why: 'the log goes to standard error',
  },
  {
    flags: ['--log-flush-frequency DURATION', '--log-json-info-buffer-size SIZE', '--log-text-info-buffer-size SIZE'],
    why: 'each line is written at once',
  },
  { flags: ['--log-backtrace-at LINE', '--vmodule LIST'], why: 'one level holds for the whole program' },
  { flags: ['--add-dir-header', '--skip-headers', '--skip-log-headers'], why: 'the format of a line is fixed' },
  {
    flags: ['--kube-api-content-type TYPE'],
    why: 'requests to the API server are in JSON',
  },
  {
    flags: ['--master URL'],
    why: 'only the kubeconfig names the API server',
    refused: { instead: 'leave it out, and put the address into the file of --kubeconfig' },
  },
];
