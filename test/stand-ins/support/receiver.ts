import type http from "node:http";
import { text } from "node:stream/consumers";
import { serve } from "#local/serve.ts";

export interface Delivery {
  path: string;
  method: string;
  headers: http.IncomingHttpHeaders;
  body: string;
  /** When it came, in milliseconds since the epoch. */
  at: number;
}

export interface Reply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** A destination that keeps what arrives and responds with what `reply` returns; `arrived(n)` resolves once n have come. */
export async function startReceiver(
  reply: (delivery: Delivery, nth: number) => Reply | Promise<Reply> = () => ({ status: 200 }),
) {
  const deliveries: Delivery[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const receive = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const delivery = {
      path: request.url ?? "",
      method: request.method ?? "",
      headers: request.headers,
      body: await text(request),
      at: Date.now(),
    };
    deliveries.push(delivery);
    const nth = deliveries.length;
    for (const { count, resolve } of waiting) if (nth >= count) resolve();
    const { status, headers, body } = await reply(delivery, nth);
    response.writeHead(status, headers).end(body);
  };
  // It stands for servers elsewhere, which have names.
  const { url, close } = await serve(receive, { isOwnName: () => true });
  const arrived = (count: number) =>
    new Promise<Delivery[]>((resolve) => {
      if (deliveries.length >= count) resolve(deliveries);
      else waiting.push({ count, resolve: () => resolve(deliveries) });
    });
  return { url, close, deliveries, arrived };
}
