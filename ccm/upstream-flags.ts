import type { UpstreamFlags } from '../lib/command-line/upstream-flags.ts';
import { upstreamServerFlags } from '../lib/server/upstream-flags.ts';

const vendor = 'run the vendor’s controller beside this one for that, see docs/guides/ccm.md';

/** The flags of the vendors' cloud controller managers that this one does not have. */
export const upstreamFlags: readonly UpstreamFlags[] = [
  {
    flags: ['--allocate-node-cidrs'],
    why: 'this controller gives Nodes no pod CIDRs',
    refused: { unless: ['false'], instead: `set it to false here, and ${vendor}` },
  },
  {
    flags: [
      '--cidr-allocator-type NAME',
      '--enable-multi-networking',
      '--enable-multi-subnet-cluster',
      '--node-cidr-mask-size COUNT',
      '--node-cidr-mask-size-ipv4 COUNT',
      '--node-cidr-mask-size-ipv6 COUNT',
      '--service-cluster-ip-range CIDR',
    ],
    why: 'this controller gives Nodes no pod CIDRs',
  },
  {
    flags: [
      '--concurrent-service-syncs COUNT',
      '--enable-l4-deny-firewall',
      '--enable-l4-deny-firewall-rollback-cleanup',
      '--enable-l4-ilb-fine-grained-lock',
      '--enable-l4-lb-annotations',
      '--enable-rbs-default-l4-netlb',
    ],
    why: 'this controller has no load balancers',
  },
  {
    flags: [
      '--resources LIST',
      '--tagging-controller-burst-limit COUNT',
      '--tagging-controller-concurrent-node-syncs COUNT',
      '--tagging-controller-enable-batching',
      '--tagging-controller-rate-limit COUNT',
      '--tags LIST',
    ],
    why: 'only the tagging controller of AWS uses it, which this controller does not have',
  },
  {
    flags: [
      '--webhook-bind-address IP',
      '--webhook-cert-dir DIR',
      '--webhook-disable-http2-serving',
      '--webhook-secure-port PORT',
      '--webhook-tls-cert-file FILE',
      '--webhook-tls-cipher-suites LIST',
      '--webhook-tls-curve-preferences LIST',
      '--webhook-tls-min-version VERSION',
      '--webhook-tls-private-key-file FILE',
      '--webhook-tls-sni-cert-key PAIR',
      '--webhooks LIST',
    ],
    why: 'this controller serves no webhooks and opens no port for them',
  },
  {
    flags: ['--enable-leader-migration'],
    why: 'it moves controllers out of kube-controller-manager, and this controller takes no part in that',
    refused: {
      unless: ['false'],
      instead: 'complete the migration to the vendor’s controller first, then leave it out',
    },
  },
  { flags: ['--leader-migration-config FILE'], why: 'only --enable-leader-migration uses it' },
  { flags: ['--external-cloud-volume-plugin NAME'], why: 'this controller has no volumes' },
  { flags: ['--use-service-account-credentials'], why: 'the whole controller uses one service account' },
  { flags: ['--feature-gates LIST'], why: 'there are no feature gates' },
  { flags: ['--controller-start-interval DURATION'], why: 'all parts start at once' },
  {
    flags: ['--min-resync-period DURATION'],
    why: '--node-status-update-frequency is the period of all Nodes',
  },
  {
    flags: ['--concurrent-node-lifecycle-syncs COUNT', '--concurrent-node-status-updates COUNT'],
    why: '--concurrent-node-syncs limits all writes',
  },
  {
    flags: ['--cluster-name NAME'],
    why: 'only load balancers need the name of the cluster; for routes the configuration names the tables',
  },
  { flags: ['--allow-untagged-cloud'], why: 'instances need no tag of the cluster' },
  { flags: ['--node-sync-period DURATION'], why: 'upstream’s controllers ignore it too' },
  {
    flags: ['--cloud-config-secret-name NAME'],
    why: 'the configuration is a file',
    refused: { instead: 'leave it out, and name the file with --cloud-config' },
  },
  {
    flags: ['--cloud-config-key NAME', '--cloud-config-secret-namespace NAME'],
    why: 'only --cloud-config-secret-name uses it',
  },
  {
    flags: ['--enable-dynamic-reloading'],
    why: 'the configuration is read once, at the start',
    refused: {
      unless: ['false'],
      instead: 'leave it out, and restart the controller after a change, as the chart does',
    },
  },
  {
    flags: ['--node-filter-requirements LIST'],
    why: 'it would exclude Nodes that this controller manages',
    refused: { instead: 'label those Nodes polycloud.dev/cloud=false, then leave it out' },
  },
  { flags: ['--enable-multi-project'], why: 'gcp.projects in the configuration names the projects' },
  {
    flags: ['--enable-gke-tenant-controller'],
    why: 'this controller has no tenants',
    refused: { unless: ['false'], instead: 'keep Google’s controller for such a cluster' },
  },
  ...upstreamServerFlags,
];
