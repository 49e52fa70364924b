import type { Context } from '../../lib/context.ts';
import { Failure } from '../../lib/failure.ts';
import type { Host } from '../../lib/host.ts';
import { ask } from '../../lib/http/ask.ts';
import { statusFailure } from '../../lib/http/status-failure.ts';
import type { InterruptionConfig } from '../../schemas/config/interruption.ts';

/** What a webhook gets, as JSON. */
export interface InterruptionReport {
  readonly node: string;
  /** That of the event. */
  readonly reason: string;
  readonly message: string;
  readonly effect?: string;
  readonly action?: string;
  readonly at?: string | undefined;
}

const limits = { connectMs: 2_000, totalMs: 5_000 };

/** The URL is read each time, so that a Secret can be renewed. It never appears in a message: it may hold a secret. */
export async function sendReport(
  report: InterruptionReport,
  { urlFile, format = 'json' }: NonNullable<InterruptionConfig['webhook']>,
  host: Pick<Host, 'readText'>,
  context: Context,
): Promise<void> {
  const url = parseUrl(await host.readText(urlFile), urlFile);
  const body = format === 'slack' ? { text: slackText(`${report.node}: ${report.message}`) } : report;
  const response = await ask(
    {
      target: `the webhook of ${urlFile}`,
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      route: 'proxied',
      limits,
    },
    context,
  );
  if (response.status < 200 || response.status > 299) {
    throw statusFailure(`the webhook of ${urlFile}`, response, context.clock.wallMs());
  }
}

/** Else text of a notice could be a link, or mention a channel. https://docs.slack.dev/messaging/formatting-message-text */
function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function parseUrl(text: string | undefined, urlFile: string): URL {
  const url = URL.parse(text?.trim() ?? '');
  if (url?.protocol === 'https:') return url;
  throw new Failure('misconfigured', `${urlFile} holds no https URL`, { remedy: 'put the URL of the webhook into it' });
}
