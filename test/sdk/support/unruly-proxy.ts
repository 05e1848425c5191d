import type http from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { serve } from "#local/serve.ts";
import { passOn } from "#test/support/pass-on.ts";

/**
 * What happens to one request. `late`: it is served after some milliseconds. `twice`: the service gets it two times, and the
 * client the second answer. `lost`: it is served, and the connection breaks before the answer. `cut`: the answer breaks after
 * so many bytes. The others come from the proxy itself, and the service hears nothing.
 */
export type Mishap =
  | { kind: "none" | "twice" | "lost" | "limited" | "page" }
  | { kind: "late"; ms: number }
  | { kind: "cut"; bytes: number };

export interface UnrulyProxy {
  url: string;
  /** How often each kind happened. */
  readonly happened: Map<Mishap["kind"], number>;
  close(): Promise<void>;
}

/** A proxy before a service, of which `choose` decides what each request suffers. */
export async function startUnrulyProxy(
  service: string,
  choose: (request: http.IncomingMessage) => Mishap,
): Promise<UnrulyProxy> {
  const target = new URL(service);
  const happened = new Map<Mishap["kind"], number>();
  const { url, close } = await serve(async (request, response) => {
    const body = await buffer(request);
    const mishap = choose(request);
    happened.set(mishap.kind, (happened.get(mishap.kind) ?? 0) + 1);
    switch (mishap.kind) {
      case "limited":
        response.writeHead(429, { "content-type": "application/json", "retry-after": "1" });
        response.end('{"detail":"slow down"}');
        return;
      case "page":
        response.writeHead(200, { "content-type": "text/html" }).end("<h1>Sign in to this network</h1>");
        return;
      case "late":
        await pause(mishap.ms);
        break;
      case "twice":
        (await passOn(target, request, body)).destroy();
        break;
      case "none":
      case "lost":
      case "cut":
    }
    const answer = await passOn(target, request, body);
    response.on("close", () => answer.destroy());
    if (mishap.kind === "lost") {
      response.destroy();
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    let left = mishap.kind === "cut" ? mishap.bytes : Infinity;
    for await (const part of answer) {
      const piece = Buffer.from(part).subarray(0, left);
      left -= piece.length;
      response.write(piece);
      if (left === 0) break;
    }
    // Ended at the socket, a chunked response lacks its end.
    if (left === 0) response.socket?.end();
    else response.end();
  });
  return { url, happened, close };
}
