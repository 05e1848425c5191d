import { describe, expect, it } from "vitest";
import { signedIn } from "#test/support/browser.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { openSocket } from "#test/support/socket.ts";

/** A started service in development, to which pages of other programs on the same machine talk, too. */
const service = sharedService();
const { port } = new URL(service.url);

const { who: visitor } = await signedIn(service);
const chat = crypto.randomUUID();

/** What a page of this origin gets with its visitor's cookies: CORS, a change, and a socket. */
async function whatGets(origin: string) {
  const read = await visitor.call("GET", "/api/users/me", { headers: { origin } });
  const asked = await service.call("OPTIONS", "/api/users/me", {
    headers: { origin, "access-control-request-method": "PATCH" },
  });
  const change = await visitor.change("PATCH", "/api/users/me", { json: {}, headers: { origin } });
  const headers = { cookie: visitor.cookie(), origin };
  const socket = await openSocket(service.url, `/ws/${chat}`, { headers });
  const tasks = await openSocket(service.url, "/api/tasks/ws", { headers });
  tasks.send({ type: "ping" });
  const follows = await Promise.race([tasks.next("pong").then(() => true), tasks.closed.then(() => false)]);
  tasks.close();
  return {
    reads: read.headers.get("access-control-allow-origin") === origin,
    asks: asked.headers.get("access-control-allow-origin") === origin,
    changes: change.status === 200,
    // A socket that is let in is told that there is no such chat.
    connects: (await socket.closed).code === 4404,
    // The socket of tasks asks others for a token.
    follows,
  };
}

const ALL = { reads: true, asks: true, changes: true, connects: true, follows: true };
const NONE = { reads: false, asks: false, changes: false, connects: false, follows: false };

describe("a page", () => {
  it.each([service.url, "http://localhost:3000"])(
    "of a console may act for its visitor: %s",
    async (origin) => {
      expect(await whatGets(origin)).toEqual(ALL);
    },
  );

  it.each(["http://localhost:5173.evil.example", `http://app-1--web.localhost:${port}`, "null"])(
    "of any other program may not: %s",
    async (origin) => {
      expect(await whatGets(origin)).toEqual(NONE);
    },
  );
});
