import * as z from 'zod/mini';
import { hostAndPath } from './formats.ts';

export const BrokerConfig = z.strictObject({
  loginAtStart: z.optional(
    z
      .array(hostAndPath)
      .check(
        z.describe(
          'Registries, as `host[:port][/path]`, that a broker logs in to with the node’s identity when it starts, so that the first pull finds a login.',
        ),
        z.meta({ examples: [['123456789012.dkr.ecr.eu-central-1.amazonaws.com', 'europe-docker.pkg.dev/project']] }),
      ),
  ),
});
