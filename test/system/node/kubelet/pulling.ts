import type { Test } from 'tap';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { showsSecret } from '../../../lab/clouds/secrets.ts';
import type { EmbeddedName } from '../../../lab/clouds/embedded.ts';
import { sleepingImage } from '../../../lab/node/image/busybox-image.ts';
import type { LabNode } from '../../../lab/node/lab-node.ts';
import type { PodOutcome } from '../../../lab/node/pods.ts';

/** Puts an image there that the node has not seen, and runs a pod of that name from it. */
export async function pull<Name extends EmbeddedName>(
  node: LabNode<Name>,
  image: string,
  serviceAccount?: string,
): Promise<PodOutcome> {
  const name = image.replace(/^.*\//, '').replace(/:.*$/, '');
  await node.push(sleepingImage(name), image);
  return node.runPod({ name, image, ...(serviceAccount !== undefined && { serviceAccount }) });
}

/**
 * The image was refused, and the kubelet's log has one line of ours with the reason and a hint. Then the pod is deleted:
 * the kubelet would try again after the cause is corrected, and cache the login for the next test.
 */
export async function checkFailureLine<Name extends EmbeddedName>(
  t: Test,
  node: LabNode<Name>,
  { outcome, image, says }: { readonly outcome: PodOutcome; readonly image: string; readonly says: RegExp },
): Promise<void> {
  t.match(outcome, { pulled: false, reason: /ErrImagePull|ImagePullBackOff/ });
  // The kubelet tries again before it reports that it backs off.
  const lines = new Set(await node.pluginLines(image));
  t.equal(lines.size, 1, [...lines].join('\n'));
  const [line = ''] = lines;
  t.match(line, /polycloud-credential-provider: .+; hint: /);
  t.match(line, says);
  await node.deletePod(outcome.pod.metadata.name);
}

/** In force in the API server's own eyes, which learns of roles with a delay. */
export async function applyAudiences<Name extends EmbeddedName>(
  { plane }: LabNode<Name>,
  rbac: string,
  audience: string,
): Promise<void> {
  await plane.kubectl(['apply', '--filename', '-'], rbac);
  const resourceAttributes = { verb: 'request-serviceaccounts-token-audience', resource: audience };
  const spec = { user: 'system:node:any', groups: ['system:nodes'], resourceAttributes };
  await waitUntil({ what: `kubelets may ask for ${audience}`, withinMs: 20_000, everyMs: 20 }, async () => {
    const { body } = await plane.ask('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', { spec });
    return (body as { readonly status: { readonly allowed: boolean } }).status.allowed || undefined;
  });
}

export async function checkNoSecrets<Name extends EmbeddedName>(t: Test, node: LabNode<Name>): Promise<void> {
  for (const name of ['kubelet', 'containerd', 'registry', 'docker-registry', 'gate']) {
    t.notOk(showsSecret(await node.log(name)), name);
  }
}
