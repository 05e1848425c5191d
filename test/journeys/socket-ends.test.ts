import { beforeAll, describe, expect, it, vi } from "vitest";
import { chats } from "#src/db/schema/index.ts";
import { newId } from "#src/lib/ids.ts";
import type { Account } from "#test/support/api-client.ts";
import { databaseOf } from "#test/support/database.ts";
import { openRawSocket } from "#test/support/raw-socket.ts";
import { otherSharedService, type SharedService } from "#test/support/shared-service.ts";
import { newRunningSite, type Site } from "#test/support/site.ts";
import { openSocket, type TestSocket } from "#test/support/socket.ts";

const SOCKETS_OF_A_PERSON = 50;

let service: SharedService;
let owner: Account;
let site: Site;
let busy: TestSocket;
beforeAll(async () => {
  service = await otherSharedService("eager");
  owner = await service.signUp("owner");
  site = await newRunningSite(service, owner.token, { "hello.txt": "hello" });
  // A stream in the same object, which keeps it awake.
  busy = await openSocket(service.url, terminal());
  await busy.next("ready");
});

const terminal = (query: Record<string, string> = {}, project = site.id) =>
  `/api/terminal/${project}/connect?${new URLSearchParams({ token: owner.token, target: "ephemeral", ...query })}`;

/** The other terminal still goes on. */
async function expectBusy(): Promise<void> {
  busy.send({ type: "ping" });
  await busy.next("pong");
}

/** A sign-in of its own, and the way to end it. */
async function signIn() {
  const { body } = await service.call<{ access_token: string }>("POST", "/api/auth/login", { json: owner });
  const token = body.access_token;
  const { body: sessions } = await service.call<{ id: string; is_current: boolean }[]>(
    "GET",
    "/api/auth/sessions",
    { token },
  );
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

  it("when its shell was closed", async () => {
    const socket = await openRawSocket(service.url, terminal());
    await vi.waitFor(() => expect(socket.texts.join()).toContain('"ready"'));
    const id = /"session_id":"([^"]+)"/u.exec(socket.texts.join())?.[1];
    await service.call("DELETE", `/api/shell/sessions/${id}`, { token: owner.token });
    expect(await socket.closed).toBe(1000);
    await socket.ended;
    await expectBusy();
  });

  it("when there are too many", async () => {
    const chat = newId();
    await databaseOf(service)
      .insert(chats)
      .values({ id: chat, userId: owner.id, projectId: site.id, origin: "browser" });
    const path = `/ws/${chat}?${new URLSearchParams({ token: owner.token })}`;
    const others = await Promise.all(
      Array.from({ length: SOCKETS_OF_A_PERSON - 1 }, () => openSocket(service.url, path)),
    );
    const onemore = await openRawSocket(service.url, path);
    expect(await onemore.closed).toBe(1008);
    expect(onemore.texts.join()).toContain("Too many sockets");
    await onemore.ended;
    await expectBusy();
    await Promise.all(others.map((each) => each.drop()));
    // A place is free again.
    const next = await openSocket(service.url, path);
    next.send({ type: "ping" });
    await next.next("pong");
    await next.drop();
  });

  it("when its project is stopped", async () => {
    const socket = await openRawSocket(service.url, terminal());
    await vi.waitFor(() => expect(socket.texts.join()).toContain('"ready"'));
    await site.stop();
    expect(await socket.closed).toBe(1000);
    await socket.ended;
  });
});
