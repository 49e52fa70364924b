import t from 'tap';
import { checkImage, publicHostOf } from '../../../credential-provider/doctor/check-image.ts';
import { hints } from '../../support/kubelet-hints.ts';

const reasons: ReadonlyArray<readonly [image: string, message: RegExp]> = [
  ['https://nginx', /does not begin with a scheme/],
  ['docker://registry.example/app', /does not begin with a scheme/],
  ['registry.example/te am', /no spaces/],
  ['registry.example/app\u0007', /visible ASCII/],
  ['registry.example/ápp', /visible ASCII/],
  ['Registry.example/app', /no capital letters/],
  ['docker.io/library/Nginx', /no capital letters/],
  ['user@registry.example/app', /no user name/],
  ['registry.example/', /a part of the image name is empty/],
  ['registry.example//app', /a part of the image name is empty/],
  ['registry.example:/app', /a part of the image name is empty/],
  ['registry.example:99999/app', /its host is neither/],
  ['-registry.example/app', /its host is neither/],
  ['12345678901.dkr.ecr.us-west-2.amazonaws.com/app', /an AWS account id has twelve digits/],
  ['1234-5678-9012.dkr.ecr.us-west-2.amazonaws.com/app', /an AWS account id has twelve digits/],
  ['123456789012.dkr.ecr.cn-north-1.amazonaws.cn/app', /AWS in China has no registries there/],
];
for (const [image, message] of reasons) {
  await t.test(`the reason why ${JSON.stringify(image)} is not an image of a registry`, (t) => {
    t.throws(() => checkImage(image, hints), { kind: 'misconfigured', message, remedy: /\w \S/ });
    t.end();
  });
}

for (const image of [
  'docker.io/library/nginx:1.27-Alpine',
  'registry.example:5000/team/app@sha256:0A',
  'localhost/app',
  '10.0.0.1:5000/app',
  '123456789012.dkr.ecr.us-west-2.amazonaws.com/app',
  '123456789012.dkr-ecr.us-west-2.on.aws/app',
  'team.azurecr.io/a/b_c/d-e',
]) {
  await t.test(`${image} is fine`, (t) => {
    checkImage(image, hints);
    t.end();
  });
}

await t.test('hosts whose images are public as a rule', (t) => {
  t.equal(publicHostOf('docker.io/library/nginx'), 'docker.io');
  t.equal(publicHostOf('registry.k8s.io/pause:3.10'), 'registry.k8s.io');
  for (const image of ['registry.example/app', 'docker.io.example/app', 'docker.io:5000/app', 'public.ecr.aws/app']) {
    t.equal(publicHostOf(image), undefined, image);
  }
  t.end();
});
