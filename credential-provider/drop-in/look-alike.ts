/** What a host has in it that wants to be taken for a registry of one of the clouds, or for their metadata service. */
const marks: readonly RegExp[] = [
  // AWS
  /dkr|amazonaws|amazonwebservices|public[.-]?x?ecr|ecr-public/,
  /\.aws$|\.c2s\.ic\.gov$|\.sc2s\.sgov\.gov$|\.adc-e\.uk$|\.csp\.hci\.ic\.gov$/,
  // Google
  /gcr[.-]i|pkg[.-]?(?:dev|app|evil)|-docker\.|\.rep\.|goog/,
  // Azure
  /azurecr|azure-cr|azurecontainer|\.azure\.|microsoft|\.windows\.net$/,
  // A name in another alphabet, and addresses that never leave the machine
  /(?:^|\.)xn--|^169\.254\.|^127\.|^localhost$/,
];

/** Such a host is never sent the login for something else. */
export function resemblesRegistry(host: string): boolean {
  return marks.some((mark) => mark.test(host));
}
