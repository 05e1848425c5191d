import type { api } from "@agent-workspace/client";
import { describe, expect, it, vi } from "vitest";
import { openRawSocket } from "#test/support/raw-socket.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { newRunningSite } from "#test/support/site.ts";
import { openSocket } from "#test/support/socket.ts";

const terminal = (query: Record<string, string> = {}, project = site.id) =>
  `/api/terminal/${project}/connect?${new URLSearchParams({ token: owner.token, target: "ephemeral", ...query })}`;

const service = await otherSharedService("eager");
const owner = await service.signUp("owner");
const site = await newRunningSite(service, owner.token, { "hello.txt": "hello" });
// A stream in the same object, which keeps it awake.
const busy = await openSocket(service.url, terminal());
await busy.next("ready");

/** The other terminal still goes on. */
async function expectBusy(): Promise<void> {
  busy.send({ type: "ping" });
  await busy.next("pong");
}

/** A sign-in of its own, and the way to end it. */
async function signIn() {
  const { body } = await service.call<{ access_token: string }>("POST", "/api/auth/login", { json: owner });
  const token = body.access_token;
  const { body: sessions } = await service.call<api.Session[]>("GET", "/api/auth/sessions", { token });
  const current = sessions.find((each) => each.is_current);
  return { token, end: () => service.call("DELETE", `/api/auth/sessions/${current?.id}`, { token }) };
}

describe("the connection of a client that says nothing ends with its socket, while others stream", () => {
  it("when its session was ended", async () => {
    const { token, end } = await signIn();
    const socket = await openRawSocket(service.url, terminal({ token }));
    await vi.waitFor(() => expect(socket.texts.join()).toContain('"ready"'));
    await end();
    expect(await socket.closed).toBe(4401);
    await socket.ended;
    await expectBusy();
  });

  it("when there is no such target", async () => {
    const socket = await openRawSocket(service.url, terminal({ target: "nonsense" }));
    expect(await socket.closed).toBe(1000);
    await socket.ended;
    await expectBusy();
  });

  it("when its project is stopped", async () => {
    const socket = await openRawSocket(service.url, terminal());
    await vi.waitFor(() => expect(socket.texts.join()).toContain('"ready"'));
    await site.stop();
    expect(await socket.closed).toBe(1000);
    await socket.ended;
  });
});
