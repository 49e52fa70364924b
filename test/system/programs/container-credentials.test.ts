import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { aws as awsDefinition } from '../../lab/clouds/aws/cloud.ts';
import { runOnLoopback } from '../../lab/clouds/loopback.ts';
import { runCommand } from '../../lab/network/run-command.ts';
import { endpointVariables } from '../../lab/clouds/aws/endpoint-variables.ts';
import { provider, requestBytes } from './provider.ts';

const authorization = 'LABSECRET-of-the-container';
const input = requestBytes({ image: '123456789012.dkr.ecr.us-west-2.amazonaws.com/team/app' });

await t.test("EKS Pod Identity's endpoint gives the node's identity", async (t) => {
  const aws = await runOnLoopback(awsDefinition, { plain: Object.keys(awsDefinition.services) });
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-container-'));
  const credentials = await issueSession(aws.url('imds'));
  const asked: (string | undefined)[] = [];
  const endpoint = createServer((request, response) => {
    asked.push(request.headers.authorization);
    const allowed = request.headers.authorization === authorization;
    response.writeHead(allowed ? 200 : 403).end(allowed ? credentials : '');
  }).listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  t.teardown(async () => {
    endpoint.close();
    await aws.stop();
    await rm(directory, { recursive: true });
  });
  const url = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1/credentials`;
  const ask = async (env: Readonly<Record<string, string>>): ReturnType<typeof runCommand> =>
    runCommand(provider, [], {
      env: { ...endpointVariables(aws), AWS_CONTAINER_CREDENTIALS_FULL_URI: url, ...env },
      input,
      timeoutMs: 30_000,
    });

  await t.test('ecr × container endpoint: with the token of the file', async (t) => {
    const file = join(directory, 'token');
    await writeFile(file, `${authorization}\n`);
    const { code } = await ask({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file });
    t.equal(code, 0);
    t.equal(asked.length, 1);
  });

  await t.test('with a wrong token: one attempt, and a message that names the endpoint', async (t) => {
    const { code, stderr } = await ask({ AWS_CONTAINER_AUTHORIZATION_TOKEN: 'LABSECRET-wrong' });
    t.equal(code, 1);
    t.match(stderr, /the container credentials endpoint at 127\.0\.0\.1:\d+ answered HTTP 403: a refusal/);
    t.equal(asked.length, 2);
  });

  await t.test('a missing token file', async (t) => {
    const { stderr } = await ask({ AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(directory, 'nowhere') });
    t.match(stderr, /the authorization token for the container credentials endpoint is unusable/);
    t.equal(asked.length, 2, 'nobody was asked');
  });
});

/** The pod identity agent returns the same session keys, in the same form, as the metadata service. */
async function issueSession(metadata: string): Promise<string> {
  const token = await fetch(`${metadata}/latest/api/token`, {
    method: 'PUT',
    headers: { 'x-aws-ec2-metadata-token-ttl-seconds': '60' },
  });
  const headers = { 'x-aws-ec2-metadata-token': await token.text() };
  const session = await fetch(`${metadata}/latest/meta-data/iam/security-credentials/lab-node`, { headers });
  return session.text();
}
