import type { TokenAttributes } from '../../lib/kubelet-config/schema.ts';
import type { DoctorFinding } from './report.ts';

/** The annotations of a service account that the kubelet sends. */
export interface SentAnnotations {
  readonly annotations: Readonly<Record<string, string>>;
  /** With a failed one, the kubelet does not start the provider. */
  readonly findings: readonly DoctorFinding[];
}

/** An entry lists required and optional annotations; the kubelet sends no others. */
export function annotationsSent(
  name: string,
  attributes: TokenAttributes,
  annotations: Readonly<Record<string, string>>,
): SentAnnotations {
  const required = (attributes.requiredServiceAccountAnnotationKeys ?? []).map((key) => key ?? '');
  const optional = (attributes.optionalServiceAccountAnnotationKeys ?? []).map((key) => key ?? '');
  const missing = required.filter((key) => !Object.hasOwn(annotations, key));
  const [sent, unsent] = [true, false].map((isListed) =>
    Object.entries(annotations).filter(([key]) => [...required, ...optional].includes(key) === isListed),
  );
  return {
    annotations: Object.fromEntries(sent ?? []),
    findings: [...missing.map((key) => notCalled(key, name)), ...(unsent ?? []).map(([key]) => notSent(key, name))],
  };
}

function notCalled(key: string, name: string): DoctorFinding {
  return {
    about: 'kubelet',
    code: 'annotation-missing',
    outcome: 'failed',
    said: `${name} is not called for a service account without the annotation ${key}, and the kubelet pulls without a login`,
    remedy: `annotate the service account with ${key}, or print the file with config print --pods --annotations for another one`,
  };
}

function notSent(key: string, name: string): DoctorFinding {
  return {
    about: 'kubelet',
    code: 'annotation-not-sent',
    outcome: 'warning',
    said: `the annotation ${key} is not sent, because the entry ${name} does not list it`,
    remedy: `add it to optionalServiceAccountAnnotationKeys of ${name}`,
  };
}
