import type { LabResponse, LabService } from '../cloud.ts';
import { metadataDocument } from './documents.ts';
import type { DigitaloceanState } from './state.ts';

/** https://docs.digitalocean.com/reference/api/metadata/ */
export const metadata: LabService<DigitaloceanState> = {
  throttled: text(429, 'Too Many Requests'),
  respond: ({ method, path }, { metadata: { dropletId, document }, droplets }) => {
    const droplet = droplets[dropletId];
    if (method !== 'GET' || path !== '/metadata/v1.json' || droplet === undefined) return text(404, 'not found');
    const body = document ?? JSON.stringify(metadataDocument(droplet));
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  },
};

function text(status: number, body: string): LabResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}
