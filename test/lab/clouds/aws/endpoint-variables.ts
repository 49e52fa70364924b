import type { LabCloud } from '../lab-cloud.ts';
import type { AwsState } from './state.ts';

/** The variables that lead the SDKs, and us, to the embedded services. */
export function endpointVariables(aws: LabCloud<AwsState>): Readonly<Record<string, string>> {
  return {
    AWS_EC2_METADATA_SERVICE_ENDPOINT: aws.url('imds'),
    AWS_ENDPOINT_URL_ECR: aws.url('ecr'),
    AWS_ENDPOINT_URL_ECR_PUBLIC: aws.url('ecr-public'),
    AWS_ENDPOINT_URL_STS: aws.url('sts'),
  };
}
