import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { safeParseJson } from "#src/lib/parse-json.ts";

const ErrorBody = z.object({ detail: z.string() });

/** Why a service refuses a socket: the status, and its sentence. */
export interface Refusal {
  status: number;
  detail: string;
}

/**
 * Asks for a socket once more, because the standard client does not tell with which status it was refused. Undefined when
 * the service accepts it now. Throws when the service cannot be reached.
 */
export async function refusalOf(address: URL, headers: Record<string, string>): Promise<Refusal | undefined> {
  const { get } = address.protocol === "https:" ? https : http;
  const handshake = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": randomBytes(16).toString("base64"),
  };
  const request = get(address.href, { headers: { ...headers, ...handshake } });
  const response = await new Promise<IncomingMessage | undefined>((resolve, reject) => {
    request.on("error", reject);
    request.on("upgrade", (_, socket) => {
      socket.destroy();
      resolve(undefined);
    });
    request.on("response", resolve);
  });
  if (!response) return undefined;
  const status = response.statusCode ?? 0;
  const detail = safeParseJson(await text(response), ErrorBody)?.value.detail;
  return { status, detail: detail ?? `The service responded with ${status}` };
}
