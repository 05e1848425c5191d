import type { api } from "@agent-workspace/client";
import { describe, expect, it } from "vitest";
import { signedIn } from "#test/support/browser.ts";
import { otherSharedService } from "#test/support/shared-service.ts";
import { newRunningSite } from "#test/support/site.ts";
import { openSocket } from "#test/support/socket.ts";

const service = await otherSharedService("eager");
const owner = await service.signUp("owner");
const site = await newRunningSite(service, owner.token, { "hello.txt": "hello from a file\n" });

const connect = (query: Record<string, string> = {}, project = site.id) =>
  openSocket(
    service.url,
    `/api/terminal/${project}/connect?${new URLSearchParams({ token: owner.token, ...query })}`,
  );

const openSessions = async () => {
  const { body, text } = await service.call<api.ListShellsAnswer>("GET", "/api/shell/sessions", {
    token: owner.token,
  });
  if (!Array.isArray(body.sessions)) throw new Error(text);
  return body.sessions.map((each) => each.session_id);
};

describe("a terminal", () => {
  it("shows what a shell puts out, and ends with it", async () => {
    const terminal = await connect({ target: "ephemeral", cols: "100", rows: "30" });
    const ready = await terminal.next("ready");
    await expect.poll(openSessions).toContain(ready["session_id"]);
    terminal.send({ type: "input", data: "cat hello.txt; echo gr\u00fc\u00dfe-\u{1f600}\n" });
    await terminal.untilOutput("hello from a file");
    await terminal.untilOutput("gr\u00fc\u00dfe-\u{1f600}\r\n");
    terminal.send({ type: "resize", cols: 120, rows: 40 });
    terminal.send({ type: "ping" });
    await terminal.next("pong");
    terminal.send({ type: "input", data: "exit 3\n" });
    expect(await terminal.closed).toEqual({ code: 1000, reason: "The shell has ended with 3" });
    expect(terminal.frames.filter(({ type }) => type === "error")).toEqual([]);
    await expect.poll(openSessions).toEqual([]);
  });

  it("takes what was typed before its shell was there", async () => {
    const terminal = await connect({ target: "ephemeral" });
    terminal.send({ type: "input", data: "echo early-$((40 + 2))\n" });
    expect(await terminal.untilOutput("early-42")).toContain("echo early");
    terminal.send({ type: "input", data: "exit\n" });
    await terminal.closed;
  });

  it("lets a new socket take a session over from one that hangs", async () => {
    const first = await connect({ target: "ephemeral" });
    const { session_id: session } = await first.next("ready");
    const second = await connect({ session: String(session) });
    await second.next("ready");
    expect(await first.next("error")).toMatchObject({ message: "The terminal continues in another window" });
    second.send({ type: "input", data: "echo still-$((2 + 2))\n" });
    await second.untilOutput("still-4");
    second.send({ type: "input", data: "exit\n" });
    await second.closed;
  });

  it("opens in the directory of a container, chosen where there are several", async () => {
    const own = await newRunningSite(service, owner.token, { "api/a.txt": "a" });
    const json = { name: "api", project_id: own.id, directory: "api" };
    await service.call("POST", `/api/projects/${own.id}/containers`, { token: owner.token, json });
    const { body } = await service.call<{ targets: { id: string; name: string }[] }>(
      "GET",
      `/api/terminal/${own.slug}/targets`,
      { token: owner.token },
    );
    const api = body.targets.find(({ name }) => name === "api");
    const terminal = await connect({}, own.slug);
    const { targets } = await terminal.next("select_container");
    expect(targets).toContainEqual(expect.objectContaining({ id: api?.id, container_directory: "api" }));
    terminal.send({ type: "select", target_id: api?.id });
    await terminal.next("ready");
    terminal.send({ type: "input", data: "pwd\n" });
    await terminal.untilOutput("/app/api");
    await own.stop();
    expect(await terminal.closed).toMatchObject({ code: 1000 });
    const refused = await connect({ target: "ephemeral" }, own.id);
    expect(await refused.next("error")).toMatchObject({ message: expect.stringContaining("not running") });
    expect(await refused.closed).toMatchObject({ code: 1000 });
    const started = await connect({ target: "environment" }, own.id);
    await started.next("provisioning");
    await started.next("ready");
    started.send({ type: "input", data: "exit\n" });
    await started.closed;
  });
});

describe("a terminal is refused", () => {
  it("to unknown callers, to strangers, and to keys of other projects or without the permission", async () => {
    const { token } = owner;
    const json = { name: "key", scopes: ["project.view"] };
    const poor = await service.call<{ key: string }>("POST", "/api/external-api-keys", { token, json });
    const { id: other } = await service.newProject(token, "other");
    for (const [bearer, code, reason] of [
      ["garbage", 4401, "auth_failed"],
      [(await service.signUp()).token, 4404, "not_found"],
      [poor.body.key, 4403, "forbidden"],
      [(await service.newKey(token, other)).key, 4403, "forbidden"],
    ] as const) {
      const terminal = await connect({ token: bearer });
      expect((await terminal.next("error"))["message"]).toEqual(expect.any(String));
      expect(await terminal.closed).toEqual({ code, reason });
    }
  });

  it("to the session cookie of a page that is not ours", async () => {
    const { who } = await signedIn(service, owner);
    const cookie = who.cookie();
    const path = `/api/terminal/${site.id}/connect?target=ephemeral`;
    for (const origin of [{}, { origin: "https://evil.example" }]) {
      const foreign = await openSocket(service.url, path, { headers: { cookie, ...origin } });
      expect(await foreign.closed).toEqual({ code: 4401, reason: "auth_failed" });
    }
    const ours = await openSocket(service.url, path, { headers: { cookie, origin: service.url } });
    await ours.next("ready");
    ours.send({ type: "input", data: "exit\n" });
    await ours.closed;
  });
});

it("responds with an error to unknown frames, and closes on oversized ones", async () => {
  const terminal = await connect({ target: "ephemeral" });
  await terminal.next("ready");
  terminal.send({ type: "switch_container", container_id: "x" });
  expect(await terminal.next("error")).toMatchObject({ message: expect.stringContaining("input, resize") });
  terminal.send({ type: "input", data: "x".repeat(70_000) });
  expect(await terminal.closed).toMatchObject({ code: 1008 });
});
