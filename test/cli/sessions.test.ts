import { eq } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serve } from "#local/serve.ts";
import { deviceSignIns } from "#src/db/schema/index.ts";
import { userCodeHash } from "#src/domain/people/device-sign-in/codes.ts";
import { databaseOf } from "#test/support/database.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newMachine, type Machine } from "./support/machine.ts";
import { decide, programSession } from "./support/session.ts";
import { startSocketRelay } from "./support/socket-relay.ts";
import { CTRL_C, onTerminal } from "./support/terminal.ts";

const service = sharedService();
let machine: Machine;
const person = await service.signUp();
beforeEach(async () => {
  machine = await newMachine({ WORKSPACE_URL: service.url });
});
afterEach(() => machine.close());

const sessions = async () =>
  (await service.call<{ id: string }[]>("GET", "/api/auth/sessions", { token: person.token })).body;

const codeIn = (shown: string) => /[A-Z]{4}-[A-Z]{4}/u.exec(shown)?.[0] ?? "";

describe("a sign-in by device", () => {
  it("shows an address and a code, and is a session once a person approved", async () => {
    const before = await sessions();
    const terminal = onTerminal(machine, ["login", service.url]);
    const shown = await terminal.until("approve only if it is the same there");
    expect(shown).toContain(`${service.url}/device`);
    await decide(service, person.token, codeIn(shown), "approve");
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown()).toContain(person.username);
    expect(await sessions()).toHaveLength(before.length + 1);
    expect((await machine.run(["whoami", "--json"])).stdout).toContain(person.id);

    expect(await machine.run(["logout"])).toMatchObject({ code: 0 });
    expect(await sessions()).toHaveLength(before.length);
    expect((await machine.run(["whoami"])).code).toBe(3);
    expect(await machine.profiles()).not.toContain("token");
  });

  it("ends with 4 when a person denies it, and with 130 by Ctrl-C", async () => {
    const [denied, left] = [1, 2].map(() => onTerminal(machine, ["login", service.url]));
    await decide(service, person.token, codeIn((await denied?.until("approve only")) ?? ""), "deny");
    expect(await denied?.ended).toBe(4);
    expect(denied?.shown()).toContain("denied");
    await left?.until("approve only");
    left?.type(CTRL_C);
    expect(await left?.ended).toBe(130);
    expect(await machine.profiles()).toBeUndefined();
  });

  it("ends with 3 when its code has expired, and says what to do", async () => {
    const terminal = onTerminal(machine, ["login", service.url]);
    const code = codeIn(await terminal.until("approve only"));
    const hash = userCodeHash(service.stack.variables["SECRET_KEY"] ?? "", code);
    const mine = eq(deviceSignIns.userCodeHash, hash);
    await databaseOf(service)
      .update(deviceSignIns)
      .set({ expiresAt: new Date(0) })
      .where(mine);
    expect(await terminal.ended).toBe(3);
    expect(terminal.shown()).toContain("The code has expired");
    expect(terminal.shown()).toContain("Run `workspace login` again");
    expect(await machine.profiles()).toBeUndefined();
  });

  it("goes on waiting after a connection that broke", async () => {
    const ANSWERS: Readonly<Record<string, object>> = {
      "/api/auth/device/code": { device_code: "d", user_code: "ABCD-EFGH", interval: 0.05, expires_in: 600 },
      "/api/auth/device/token": { access_token: "a", refresh_token: "r" },
      "/api/users/me": { username: "ada" },
    };
    const asked: string[] = [];
    const broken = await serve(({ url = "" }, response) => {
      const isFirst = !asked.includes(url);
      asked.push(url);
      if (url.endsWith("/token") && isFirst) {
        response.destroy();
        return;
      }
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ ...ANSWERS[url], verification_uri: `${broken.url}/device` }));
    });
    const ran = await machine.run(["login", broken.url]);
    await broken.close();
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("ada") });
    expect(asked.filter((url) => url.endsWith("/token"))).toHaveLength(2);
  });

  it("tells by codes and lines of JSON without a terminal", async () => {
    const running = machine.start(["login", service.url, "--json"]);
    let stderr = "";
    await new Promise<void>((resolve) =>
      running.child.stderr?.on("data", (piece: string) => {
        stderr += piece;
        if (codeIn(stderr) !== "") resolve();
      }),
    );
    await decide(service, person.token, codeIn(stderr), "approve");
    const { code, stdout } = await running.ended;
    expect({ code, told: JSON.parse(stdout) }).toEqual({
      code: 0,
      told: { service: service.url, kind: "session", account: person.username },
    });
  });
});

describe("a pairing link", () => {
  it("becomes a key, which logout revokes", async () => {
    const { body } = await service.call<{ deep_link: string }>("POST", "/api/desktop/pair", {
      token: person.token,
      json: {},
    });
    const input = body.deep_link;
    expect((await machine.run(["login", service.url, "--pair", "-"], { input })).code).toBe(0);
    const key = /tsk_\w+/u.exec((await machine.profiles()) ?? "")?.[0] ?? "";
    expect(key).not.toBe("");
    expect((await machine.run(["whoami", "--json"])).stdout).toContain('"kind":"key"');
    expect(machine.written.join("\n").includes(key)).toBe(false);
    await machine.run(["logout"]);
    expect((await service.call("GET", "/api/desktop/session/ping", { token: key })).status).toBe(401);
  });
});

describe("an expired session", () => {
  it("is refreshed once by many processes at once", async () => {
    const relay = await startSocketRelay(service.url);
    const session = await programSession(service, person);
    await machine.storeSession(relay.url, { ...session, accessToken: "expired.by.far" });
    const environment = { WORKSPACE_URL: relay.url };
    const ran = await Promise.all(
      Array.from({ length: 4 }, () => machine.run(["whoami", "--json"], { environment })),
    );
    await relay.close();
    expect(ran.map(({ code }) => code)).toEqual(ran.map(() => 0));
    expect(relay.asked.filter((asked) => asked.includes("refresh"))).toHaveLength(1);
    const stored = (await machine.profiles()) ?? "";
    expect(stored).not.toContain(session.refreshToken);
    for (const secret of [session.accessToken, session.refreshToken, ...tokensIn(stored)])
      expect(machine.written.join("\n").includes(secret)).toBe(false);
  });

  it("that was ended at the service says so, and is forgotten", async () => {
    const session = await programSession(service, person);
    await machine.storeSession(service.url, session);
    await service.call("DELETE", "/api/auth/sessions", { token: person.token });
    const ran = await machine.run(["whoami"]);
    expect(ran).toMatchObject({ code: 3, stdout: "" });
    expect(ran.stderr).toContain(`workspace login ${service.url}`);
    expect(await machine.profiles()).not.toContain(session.refreshToken);
  });
});

function tokensIn(stored: string): string[] {
  return [...stored.matchAll(/"(?:access|refresh)_token": "([^"]+)"/gu)].map(([, token]) => token ?? "");
}

describe("credentials", () => {
  it("of the environment go to no service that a folder names", async () => {
    const { slug } = await service.newProject(person.token);
    await machine.storeSession(service.url, await programSession(service, person));
    await machine.run(["link", slug]);
    const ran = await machine.run(["whoami", "--json"], {
      environment: { WORKSPACE_API_KEY: "tsk_canary", WORKSPACE_URL: "" },
    });
    // The local service, of the default address, is not running in this test.
    expect(ran.stderr).not.toContain(service.url);
  });
});
