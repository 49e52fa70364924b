/** What a host has in it that wants to be taken for a registry of one of the clouds, or for their metadata service. */
const lookAlikePatterns: readonly RegExp[] = [
  // AWS
  /dkr|amaz[o0]n|(?:^|\.)aws\.|public[.-]?x?ecr|ecr-public/,
  /\.aws$|\.c2s\.ic\.gov$|\.sc2s\.sgov\.gov$|\.adc-e\.uk$|\.csp\.hci\.ic\.gov$/,
  // Google
  /gcr\.|gcr-?io|pkg[.-]?(?:dev|app|evil)|-docker\.|\.rep\.|goog/,
  // Azure
  /azurecr|azure-cr|azurecontainer|(?:^|\.)azure\.|microsoft|\.windows\.net$/,
  // A name in another alphabet; addresses that never leave the machine or belong to a metadata service, however they are spelt
  /(?:^|\.)xn--|^169\.254\.|^127\.|^localhost$|^168\.63\.129\.16$|^100\.100\.100\.200$|^0|\.0\d|\.internal$/,
];

/** Such a host is never sent the login for something else. */
export function resemblesRegistry(host: string): boolean {
  return lookAlikePatterns.some((pattern) => pattern.test(host));
}
