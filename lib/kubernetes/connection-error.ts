import { classifyNetworkError } from '../http/classify-error.ts';
import { networkFailure } from '../http/network-error.ts';
import { KubernetesError } from './kubernetes-error.ts';

const untrustedRemedy = "check that the certificate-authority of the kubeconfig is the one of this API server's";

/** There was no complete response: `unavailable` for every reason, since clusters change authorities and come back. */
export function connectionError(what: string, host: string, error: unknown): KubernetesError {
  const network = classifyNetworkError(error);
  const { message, remedy } = networkFailure(`the API server ${host}`, network);
  return new KubernetesError('unavailable', `${what}: ${message}`, {
    remedy: network.reason === 'untrusted' ? untrustedRemedy : remedy,
    cause: error,
  });
}
