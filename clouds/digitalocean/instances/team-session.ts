import { createListCache } from '../../../lib/list-cache.ts';
import type { ListCache } from '../../../lib/list-cache.ts';
import type { Context } from '../../../lib/context.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { DigitaloceanConfig } from '../../../schemas/config/digitalocean.ts';
import type { CloudSettings } from '../../cloud.ts';
import { askApi } from '../api.ts';
import type { DigitaloceanResponse } from '../api.ts';
import { readToken } from '../token.ts';
import { joinPages, nextPage, pageSize, parsePage } from './pages.ts';
import type { DropletList, DropletPage, PageAddress } from './pages.ts';

/** The Droplets of one team, for many look-ups. */
export interface TeamSession {
  readonly lists: ListCache<DropletList>;
  /** Sends once. */
  readDroplet(dropletId: string, context: Context): Promise<DropletResponse>;
  /** This token has found the Droplet of a node. */
  foundNode(token: Secret): void;
  /**
   * Is the token still one that has found Droplets of nodes, and does it list Droplets? With a token of another team every
   * id would be missing, and no response of the API that a token needs no further scope for names the team.
   */
  isProven(context: Context): Promise<boolean>;
}

export interface DropletResponse {
  readonly response: DigitaloceanResponse;
  readonly token: Secret;
}

export function createTeamSession(settings: CloudSettings<DigitaloceanConfig>): TeamSession {
  let proven: Secret | undefined;

  async function send(
    path: string,
    query: Readonly<Record<string, string>>,
    context: Context,
  ): Promise<DropletResponse> {
    const token = await readToken(settings);
    const response = await askApi({ path, query, scope: 'droplet:read' }, token, settings.config, context);
    return { response, token: token.token };
  }

  async function readPage(at: PageAddress, perPage: number, context: Context): Promise<DropletPage> {
    const query = { type: at.type, page: String(at.page), per_page: String(perPage) };
    const { response, token } = await send('droplets', query, context);
    if (response.is === 'missing') throw response.failure;
    return parsePage(response.json, at, token);
  }

  async function readRest(pages: DropletPage[], context: Context): Promise<void> {
    for (let at = nextPage(pages); at !== undefined; at = nextPage(pages)) {
      pages.push(await readPage(at, pageSize, context));
    }
  }

  return {
    lists: createListCache({ readRest, join: joinPages }),
    readDroplet: (dropletId, context) => send(`droplets/${dropletId}`, {}, context),
    foundNode: (token) => {
      proven = token;
    },
    isProven: async (context) => {
      if (proven === undefined) return false;
      const { token } = await readPage({ type: 'droplets', page: 1 }, 1, context);
      return token.reveal() === proven.reveal();
    },
  };
}
