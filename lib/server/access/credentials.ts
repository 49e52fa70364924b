import type { IncomingMessage } from 'node:http';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { Secret } from '../../secret.ts';
import type { RequestCredentials } from './request-access.ts';
import type { User } from './user.ts';

const bearer = /^bearer +([\w.~+/=-]+) *$/i;

export function credentialsOf(request: IncomingMessage, nowWallMs: number): RequestCredentials {
  const token = bearer.exec(request.headers.authorization ?? '')?.[1];
  return {
    certificateUser: certificateUser(request.socket as TLSSocket, nowWallMs),
    token: token === undefined ? undefined : new Secret(token),
  };
}

/** A connection can live longer than its client certificate. */
function certificateUser(socket: TLSSocket, nowWallMs: number): User | undefined {
  const certificate = socket.authorized ? socket.getPeerX509Certificate() : undefined;
  if (certificate === undefined || certificate.validToDate.getTime() < nowWallMs) return undefined;
  return userOfSubject(socket.getPeerCertificate().subject);
}

/** As in the API server: the common name is the user, each organisation a group. */
export function userOfSubject(subject: PeerCertificate['subject']): User | undefined {
  const username = allOf(subject.CN).at(-1);
  if (username === undefined || username === '') return undefined;
  return { username, groups: [...allOf(subject.O), 'system:authenticated'] };
}

/** Node.js returns one value as a string and several as a list. */
function allOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
