import { buffer } from "node:stream/consumers";
import { serve } from "#local/serve.ts";

/** A callback as received. */
export interface ReceivedCallback {
  path: string;
  method: string;
  /** Names in lower case; repeated headers joined by a comma. */
  headers: Record<string, string>;
  /** The raw body, for checking its signature. */
  body: string;
  /** ISO 8601. */
  receivedAt: string;
}

const KEPT = 100;

/**
 * A receiver for callbacks, for the demo and for trying the API. `POST` to any path is stored (the last hundred, in
 * memory); it returns 200, or the status that a path beginning with `/status/<code>` names. `GET /` lists all, oldest
 * first; `GET /<path>` those of one path.
 */
export async function startCallbacks(
  options: { preferredPort?: number } = {},
): Promise<{ url: string; origin: string; close: () => Promise<void> }> {
  const received: ReceivedCallback[] = [];
  const { url, close } = await serve(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "GET") {
      const shown = pathname === "/" ? received : received.filter(({ path }) => path === pathname);
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(shown, null, 2));
      return;
    }
    received.push({
      path: pathname,
      method: request.method ?? "POST",
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      ),
      body: (await buffer(request)).toString("utf8"),
      receivedAt: new Date().toISOString(),
    });
    if (received.length > KEPT) received.shift();
    response.writeHead(wantedStatus(pathname)).end();
  }, options);
  return { url, origin: url, close };
}

function wantedStatus(path: string): number {
  const status = Number(/^\/status\/(\d{3})(?:\/|$)/u.exec(path)?.[1]);
  return status >= 200 && status <= 599 ? status : 200;
}
