import { join } from 'node:path';
import type { Certificates } from './certificates.ts';
import { frontProxyName } from './certificates.ts';

/** What a control plane is made of; the last two only on request. */
export type PartName = 'etcd' | 'kube-apiserver' | OptionalPartName;
export type OptionalPartName = 'kube-controller-manager' | 'kube-scheduler';

/** The issuer of service accounts' tokens and, if no other is asked for, their audience. */
export const issuer = 'https://kubernetes.default.svc.cluster.local';

const serviceRange = '10.96.0.0/16';
const podRange = '10.244.0.0/16';

export interface ApiServerOptions {
  /** Where etcd has its sockets. */
  readonly directory: string;
  readonly certificates: Certificates;
  readonly auditPolicyFile: string;
  readonly auditLogFile: string;
  readonly port: number;
}

export interface OptionalPartOptions {
  readonly certificates: Certificates;
  readonly port: number;
  readonly kubeconfig: string;
}

/** Sockets, so that there is no port to choose. What is lost in a power cut is not missed here. */
export function etcdArguments(directory: string): readonly string[] {
  const client = etcdUrl(directory);
  const peer = `unix://${join(directory, 'peer.sock')}`;
  return toArguments({
    name: 'lab',
    'data-dir': join(directory, 'etcd'),
    'unsafe-no-fsync': 'true',
    'log-level': 'warn',
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `lab=${peer}`,
  });
}

export function etcdSocket(directory: string): string {
  return join(directory, 'client.sock');
}

function etcdUrl(directory: string): string {
  return `unix://${etcdSocket(directory)}`;
}

export function apiServerArguments(options: ApiServerOptions): readonly string[] {
  const { directory, certificates, auditPolicyFile, auditLogFile, port } = options;
  return toArguments({
    'etcd-servers': etcdUrl(directory),
    ...listeningFlags(certificates, port),
    // No client uses the Service to find it, and the Service must not have a loopback address.
    'advertise-address': '127.0.0.1',
    'endpoint-reconciler-type': 'none',
    'service-cluster-ip-range': serviceRange,
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'allow-privileged': 'true',
    // Without it a polite end waits for the watches of others, for up to a minute.
    'shutdown-watch-termination-grace-period': '1s',
    ...trustFlags(certificates),
    'audit-policy-file': auditPolicyFile,
    'audit-log-path': auditLogFile,
    // All in one file, however large it gets.
    'audit-log-maxsize': '100000',
  });
}

function trustFlags(certificates: Certificates): Flags {
  const { authority, frontProxyAuthority, frontProxyClient, kubeletClient, serviceAccounts } = certificates;
  return {
    'client-ca-file': authority.certificateFile,
    'kubelet-certificate-authority': authority.certificateFile,
    'kubelet-client-certificate': kubeletClient.certificateFile,
    'kubelet-client-key': kubeletClient.keyFile,
    'kubelet-preferred-address-types': 'InternalIP,Hostname',
    'requestheader-client-ca-file': frontProxyAuthority.certificateFile,
    'requestheader-allowed-names': frontProxyName,
    'requestheader-username-headers': 'X-Remote-User',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'proxy-client-cert-file': frontProxyClient.certificateFile,
    'proxy-client-key-file': frontProxyClient.keyFile,
    'service-account-issuer': issuer,
    'service-account-key-file': serviceAccounts.publicKeyFile,
    'service-account-signing-key-file': serviceAccounts.keyFile,
  };
}

export function optionalPartArguments(name: OptionalPartName, options: OptionalPartOptions): readonly string[] {
  const { certificates, port, kubeconfig } = options;
  return toArguments({
    ...listeningFlags(certificates, port),
    kubeconfig,
    'authentication-kubeconfig': kubeconfig,
    'authorization-kubeconfig': kubeconfig,
    // It is the only one.
    'leader-elect': 'false',
    ...ownFlags[name](certificates),
  });
}

const ownFlags: Readonly<Record<OptionalPartName, (certificates: Certificates) => Flags>> = {
  'kube-controller-manager': ({ authority, serviceAccounts }) => ({
    'use-service-account-credentials': 'true',
    'cloud-provider': 'external',
    'service-account-private-key-file': serviceAccounts.keyFile,
    'root-ca-file': authority.certificateFile,
    'cluster-signing-cert-file': authority.certificateFile,
    'cluster-signing-key-file': authority.keyFile,
    'allocate-node-cidrs': 'true',
    'cluster-cidr': podRange,
    'service-cluster-ip-range': serviceRange,
    // With the defaults one waits for a young cluster for seconds.
    'kube-api-qps': '200',
    'kube-api-burst': '400',
  }),
  'kube-scheduler': () => ({}),
};

function listeningFlags({ server }: Certificates, port: number): Flags {
  return {
    'bind-address': '127.0.0.1',
    'secure-port': String(port),
    'tls-cert-file': server.certificateFile,
    'tls-private-key-file': server.keyFile,
  };
}

type Flags = Readonly<Record<string, string>>;

function toArguments(flags: Flags): readonly string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}
