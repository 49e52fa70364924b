/** What a kubelet has to be configured with so that it asks us for these registries. */
export interface KubeletHints {
  /** The hosts of `match` as the kubelet's globs, in which `*` stands for one part of a name. */
  readonly matchImages: readonly string[];
  /** Globs that people write for this cloud and that match none of its images. */
  readonly wrongGlobs?: readonly { readonly pattern: RegExp; readonly what: string; readonly remedy: string }[];
  /** For the provider entry for pods; absent: pods cannot log in there with their own identity. */
  readonly pod?: {
    /** Absent: only the operator knows it, and `audienceRemedy` is what to do. */
    readonly audience?: string;
    readonly audienceRemedy?: string;
    /** Audiences of tokens that identify a pod without an annotation. */
    readonly audiencesWithoutAnnotation?: RegExp;
    readonly requiredAnnotations: readonly string[];
    readonly optionalAnnotations: readonly string[];
  };
}
