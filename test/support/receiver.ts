import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook as Verifier } from 'standardwebhooks';
import type { Data } from './assay.js';

export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
  /** Of the receiver's clock, in ms. */
  at: number;
}

export type Behaviour = (response: ServerResponse, nth: number) => void;

/** Answers at once that it has the message. */
export const takes: Behaviour = (response) => response.writeHead(204).end();
export const answers =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end(body);

/** Somebody's server that is told of runs. */
export class Receiver {
  readonly messages: Received[] = [];
  behaviour: Behaviour = takes;
  readonly #server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      this.messages.push({ headers: request.headers, body, at: Date.now() });
      this.behaviour(response, this.messages.length);
    });
  });

  static async start(): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** What a message says, if one of these secrets has signed it. Throws when none has. */
  verified(message: Received, secret: string): Data {
    return new Verifier(secret).verify(message.body, message.headers as Record<string, string>) as Data;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
