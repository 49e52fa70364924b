import type { KubernetesErrorKind } from './kubernetes-error.ts';

const transientRemedy = 'it should pass; if it stays, check the API server';

/** What an operator can do about each kind of error. */
export const remedies: Readonly<Record<KubernetesErrorKind, string>> = {
  'not-found': 'check that it exists',
  'already-exists': 'check who else writes it',
  conflict: 'it should pass; if it stays, check who else writes it',
  gone: transientRemedy,
  blocked: 'it should pass; if it stays, check the PodDisruptionBudgets of the pod',
  forbidden: 'check the RBAC rules of this program against those that it documents',
  unauthorized: "check that the kubeconfig's user, or the service account, is valid",
  invalid: 'check that the API server has a version that this program supports',
  throttled: "it should pass; if it stays, check the API server's priority levels",
  unavailable: transientRemedy,
  'invalid-response': "check that nothing else answers in the API server's place",
};
