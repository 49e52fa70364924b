import type { GeneratedCloudName } from '../../generated/hosts.ts';

/** A second implementation of the vendors' documentation on registry names. `undefined`: no cloud. */
export function cloudOfHost(host: string): GeneratedCloudName | undefined {
  return hosts.find(([, form]) => form.test(host))?.[0];
}

/** What stands in capitals is one of these, each without a dot. */
const placeholders: Readonly<Record<string, string>> = {
  ACCOUNT: '[0-9]{12}',
  ECR: 'ecr(-fips)?',
  AREA: '(?!cn)[a-z]{2}-[a-z]+-[0-9]{1,2}',
  PLACE: '[a-z]+-[0-9]{1,2}',
  COUNTRY: '[a-z]{2}-[a-z]+-[0-9]{1,2}',
  NAME: '[a-z0-9]+(-[a-z0-9]+)?',
  ZONE: '[a-z0-9]+',
  CONTINENT: '(africa|asia|australia|europe|me|northamerica|southamerica|us|u-[a-z]{2,24})',
  DIRECTION: '(central|(north|south)(east|west)?|east|west)[0-9]{1,2}',
  MULTI: '(us|europe|asia)',
  ANY: '([a-z0-9-]+[.])*',
};

const forms: Readonly<Record<GeneratedCloudName, readonly string[]>> = {
  aws: [
    'public.ecr.aws',
    'ecr-public.aws.com',
    'ACCOUNT.dkr.ECR.AREA.amazonaws.com',
    'ACCOUNT.dkr-ECR.AREA.on.aws',
    'ACCOUNT.dkr.ECR.us-gov-PLACE.amazonaws.com',
    'ACCOUNT.dkr-ECR.us-gov-PLACE.on.aws',
    'ACCOUNT.dkr.ECR.cn-PLACE.amazonaws.com.cn',
    'ACCOUNT.dkr-ECR.cn-PLACE.on.amazonwebservices.com.cn',
    'ACCOUNT.dkr.ECR.eusc-COUNTRY.amazonaws.eu',
    'ACCOUNT.dkr.ECR.us-iso-PLACE.c2s.ic.gov',
    'ACCOUNT.dkr.ECR.us-isob-PLACE.sc2s.sgov.gov',
    'ACCOUNT.dkr.ECR.eu-isoe-PLACE.cloud.adc-e.uk',
    'ACCOUNT.dkr.ECR.us-isof-PLACE.csp.hci.ic.gov',
  ],
  azure: ['io', 'us', 'cn', 'de'].flatMap((end) => [`NAME.azurecr.${end}`, `NAME.ZONE.geo.azurecr.${end}`]),
  gcp: [
    'ANYgcr.io',
    'MULTI-docker.pkg.dev',
    'CONTINENT-DIRECTION-docker.pkg.dev',
    'docker.CONTINENT-DIRECTION.rep.pkg.dev',
  ],
};

const hosts = Object.entries(forms).flatMap(([cloud, texts]) =>
  texts.map((text) => [cloud as GeneratedCloudName, patternOf(text)] as const),
);

function patternOf(form: string): RegExp {
  const pattern = form.replaceAll('.', '[.]').replaceAll(/[A-Z]+/g, (word) => placeholders[word] ?? word);
  return new RegExp(`^${pattern}$`);
}
