import type { LabResponse, LabService } from '../cloud.ts';
import { ec2MetaDataOf, metaDataOf, networkDataOf } from './metadata-documents.ts';
import type { LabServerMetadata } from './metadata-documents.ts';

export interface MetadataState {
  /** Absent: Nova does not know who asks. */
  readonly server: LabServerMetadata | null;
}

/** https://docs.openstack.org/nova/latest/user/metadata.html, as `nova/api/metadata/handler.py` answers behind Neutron's agent. */
export const metadata: LabService<{ readonly metadata: MetadataState }> = {
  throttled: page(429, 'Too Many Requests'),
  respond: ({ method, path }, { metadata: { server } }) => {
    if (method !== 'GET') return page(404, 'Not Found');
    const parts = (path.split('?')[0] ?? '').split('/').filter((part) => part !== '');
    if (parts.length === 0) return text(`${ec2Versions.join('\n')}\nlatest`);
    if (server === null) return page(404, 'Not Found');
    return parts[0] === 'openstack' ? openStackPart(parts.slice(1), server) : ec2Part(parts, server);
  },
};

const openStackVersions = ['2012-08-10', '2013-04-04', '2013-10-17', '2015-10-15', '2016-06-30', '2016-10-06'].concat(
  '2017-02-22',
  '2018-08-27',
  '2020-10-14',
  '2025-04-04',
);
const ec2Versions = ['1.0', '2007-01-19', '2007-03-01', '2007-08-29', '2007-10-10', '2007-12-15', '2008-02-01'].concat(
  '2008-09-01',
  '2009-04-04',
);
/** Nova's since Liberty; it is in no older version. */
const firstWithNetworkData = '2015-10-15';

function openStackPart([version, name, ...rest]: readonly string[], server: LabServerMetadata): LabResponse {
  if (version === undefined) return text([...openStackVersions, 'latest'].join('\n'));
  if (version !== 'latest' && !openStackVersions.includes(version)) return page(404, 'Not Found');
  const hasNetworkData = version >= firstWithNetworkData;
  if (name === undefined) return text(['meta_data.json', ...(hasNetworkData ? ['network_data.json'] : [])].join('\n'));
  if (rest.length > 0) return page(404, 'Not Found');
  if (name === 'meta_data.json') return json(metaDataOf(server));
  return name === 'network_data.json' && hasNetworkData ? json(networkDataOf(server)) : page(404, 'Not Found');
}

function ec2Part([version = '', folder, ...rest]: readonly string[], server: LabServerMetadata): LabResponse {
  if (version !== 'latest' && !ec2Versions.includes(version)) return page(404, 'Not Found');
  if (folder === undefined) return text('meta-data/');
  if (folder !== 'meta-data') return page(404, 'Not Found');
  const values = ec2MetaDataOf(server, 'fe80::f816:3eff:fe00:1');
  const value = values[rest.join('/')];
  if (value !== undefined) return text(value);
  const prefix = rest.map((part) => `${part}/`).join('');
  const below = Object.keys(values).filter((each) => each.startsWith(prefix));
  if (below.length === 0) return page(404, 'Not Found');
  return text([...new Set(below.map((each) => each.slice(prefix.length).replace(/\/.*$/, '/')))].toSorted().join('\n'));
}

function text(body: string): LabResponse {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=UTF-8' }, body };
}

function json(body: object): LabResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function page(status: number, title: string): LabResponse {
  const body = `<html>\n <head>\n  <title>${status} ${title}</title>\n </head>\n <body>\n  <h1>${status} ${title}</h1>\n </body>\n</html>`;
  return { status, headers: { 'content-type': 'text/html; charset=UTF-8' }, body };
}
