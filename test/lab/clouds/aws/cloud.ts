import type { CloudDefinition } from '../cloud.ts';
import { ec2 } from './ec2.ts';
import { ecrPublic } from './ecr-public.ts';
import { ecr } from './ecr.ts';
import { imds } from './imds.ts';
import type { AwsState } from './state.ts';
import { initialAwsState } from './state.ts';
import { sts } from './sts.ts';

export const aws: CloudDefinition<AwsState> = {
  name: 'aws',
  initialState: initialAwsState,
  services: { imds, ec2, ecr, 'ecr-public': ecrPublic, sts },
};
