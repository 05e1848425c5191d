import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const person = await service.signUp();

const get = (path: string, { token } = person) => service.call("GET", path, { token });
const patch = (path: string, json: unknown, { token } = person) =>
  service.call("PATCH", path, { token, json });
const refused = (status: number, sentence: RegExp) => ({
  status,
  body: { detail: expect.stringMatching(sentence) },
});

describe("preferences", () => {
  it("begin with the defaults, keep what is set, and go back to the defaults", async () => {
    const one = await service.signUp();
    const DEFAULTS = {
      diagram_model: null,
      theme_preset: "default-dark",
      chat_position: "center",
      task_mail: false,
      task_notices: "ask",
    };
    expect((await get("/api/users/preferences", one)).body).toEqual(DEFAULTS);
    const set = {
      diagram_model: "builtin/demo",
      theme_preset: "midnight-2",
      chat_position: "right",
      task_mail: true,
      task_notices: "off",
    };
    expect(await patch("/api/users/preferences", set, one)).toMatchObject({ status: 200, body: set });
    await patch("/users/preferences", { chat_position: "left" }, one);
    expect((await get("/users/preferences", one)).body).toEqual({ ...set, chat_position: "left" });
    const nothing = {
      diagram_model: null,
      theme_preset: null,
      chat_position: null,
    };
    const kept = { task_mail: true, task_notices: "off" };
    expect((await patch("/api/users/preferences", nothing, one)).body).toEqual({ ...DEFAULTS, ...kept });
  });

  it.each([
    [{ chat_position: "top" }, 400, /left, center or right/u],
    [{ theme_preset: "Dark Mode" }, 400, /theme_preset/u],
  ])("that are none are refused: %j", async (json, status, sentence) => {
    const before = await get("/api/users/preferences");
    expect(await patch("/api/users/preferences", json)).toMatchObject(refused(status, sentence));
    expect((await get("/api/users/preferences")).body).toEqual(before.body);
  });
});

/** A picture as a text of this length. */
function picture(length: number): string {
  const head = "data:image/png;base64,";
  return head + "A".repeat(length - head.length);
}

describe("a profile", () => {
  it("begins with the names alone, keeps what is told, and lets go of what is taken away", async () => {
    const one = await service.signUp();
    const { username } = one;
    const empty = { avatar_url: null, bio: null, twitter_handle: null, website_url: null };
    const full = {
      name: "Ada Lovelace",
      avatar_url: "https://pictures.example/ada.png",
      bio: "Writes programs.\nFor engines.",
      twitter_handle: "ada",
      github_username: "ada-l",
      website_url: "http://ada.example/about?x=1",
    };
    const begun = { username, name: username, github_username: null, ...empty };
    expect((await get("/api/users/profile", one)).body).toEqual(begun);
    const told = await patch("/api/users/profile", full, one);
    expect(told).toMatchObject({ status: 200, body: { username, ...full, message: expect.any(String) } });
    // As a form sends it, and as a program does.
    const nothing = { website_url: "", bio: null, twitter_handle: "", avatar_url: null };
    await patch("/api/users/profile", nothing, one);
    expect((await get("/users/profile", one)).body).toEqual({ username, ...full, ...empty });
  });

  it("holds a picture of 512000 characters, which the account shows, and none that is larger", async () => {
    expect((await patch("/api/users/profile", { avatar_url: picture(512_000) })).status).toBe(200);
    expect((await get("/api/users/me")).body).toMatchObject({ avatar_url: picture(512_000) });
    expect(await patch("/api/users/profile", { avatar_url: picture(512_001) })).toMatchObject(
      refused(422, /^avatar_url: .*512000/u),
    );
  });

  it.each([
    { avatar_url: "javascript:alert(1)" },
    { avatar_url: "data:image/svg+xml,<svg onload=alert(1)>" },
    { website_url: "javascript:alert(1)//http://a.example" },
  ])("refuses %j", async (json) => {
    const [field = ""] = Object.keys(json);
    const answer = await patch("/api/users/profile", json);
    expect(answer).toMatchObject(refused(422, new RegExp(`^${field}: `, "u")));
  });

  it("takes a username or a handle that is free and not reserved, and signs in by it", async () => {
    const [one, other] = [await service.signUp(), await service.signUp()];
    const rename = (username: string) => patch("/api/users/profile", { username }, one);
    expect(await rename(other.username)).toMatchObject(refused(409, /^Username is already taken$/u));
    expect(await rename("Not A Name")).toMatchObject(refused(400, /Username must be/u));
    expect(await rename("settings")).toMatchObject(refused(400, /reserved/u));
    const username = `renamed-${crypto.randomUUID().slice(0, 8)}`;
    expect(await rename(username)).toMatchObject({ status: 200, body: { username } });
    const login = { username, password: one.password };
    expect((await service.call("POST", "/api/auth/login", { json: login })).status).toBe(200);
    const handle = `ada_${crypto.randomUUID().slice(0, 8)}`;
    const renamed = { status: 200, body: { id: one.id, username: handle, is_superuser: false } };
    expect(await patch("/api/users/me/handle", { handle: "Ada" }, one)).toMatchObject(refused(400, /[a-z]/u));
    expect(await patch("/api/users/me/handle", { handle: "admin" }, one)).toMatchObject(refused(409, /./u));
    // Again changes nothing and is fine.
    for (const _ of [1, 2])
      expect(await patch("/api/users/me/handle", { handle }, one)).toMatchObject(renamed);
  });
});
