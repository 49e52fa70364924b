import type { LookupContext } from '../clouds/cloud.ts';
import type { Context } from './context.ts';

/** Every request takes a token: pages, repeated requests, and those for credentials. */
export function rateLimited({ beforeCall, ...context }: LookupContext): Context {
  const { http } = context;
  const send: typeof http.send = async (request, signal) => {
    await beforeCall();
    return http.send(request, signal);
  };
  return { ...context, http: { ...http, send } };
}
