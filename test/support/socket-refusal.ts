import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { WebSocket } from "ws";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";

const ErrorBody = z.object({ detail: z.string() });

/** Why a service refuses a socket: the status, and its sentence. */
export interface Refusal {
  status: number;
  detail: string;
}

/** Asks for a socket with a client that tells how it was refused. Undefined when the service accepts it. */
export async function refusalOf(address: URL, headers: Record<string, string>): Promise<Refusal | undefined> {
  const socket = new WebSocket(address.href, { headers });
  const response = await new Promise<IncomingMessage | undefined>((resolve, reject) => {
    socket.on("error", reject);
    socket.on("unexpected-response", (_, refused) => resolve(refused));
    socket.on("open", () => {
      socket.terminate();
      resolve(undefined);
    });
  });
  if (!response) return undefined;
  const status = response.statusCode ?? 0;
  const detail = safeParseJson(await text(response), ErrorBody)?.value.detail;
  return { status, detail: detail ?? `The service responded with ${status}` };
}
