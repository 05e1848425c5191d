import { beforeAll, describe, expect, it } from "vitest";
import type { Account } from "#test/support/api-client.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
let person: Account;
beforeAll(async () => {
  person = await service.signUp();
});

const get = (path: string, { token } = person) => service.call("GET", path, { token });
const patch = (path: string, json: unknown, { token } = person) =>
  service.call("PATCH", path, { token, json });
const refused = (status: number, sentence: RegExp) => ({
  status,
  body: { detail: expect.stringMatching(sentence) },
});

describe("preferences", () => {
  const DEFAULTS = { diagram_model: null, theme_preset: "default-dark", chat_position: "center" };

  it("begin with the defaults, keep what is set, and go back to the defaults", async () => {
    const { body } = await get("/api/users/preferences");
    expect(body).toEqual(DEFAULTS);
    const set = { diagram_model: "builtin/demo", theme_preset: "midnight-2", chat_position: "right" };
    expect(await patch("/api/users/preferences", set)).toMatchObject({ status: 200, body: set });
    expect(await patch("/users/preferences", { chat_position: "left" })).toMatchObject({
      status: 200,
      body: { ...set, chat_position: "left" },
    });
    expect((await get("/users/preferences")).body).toEqual({ ...set, chat_position: "left" });
    const nothing = { diagram_model: null, theme_preset: null, chat_position: null };
    expect((await patch("/api/users/preferences", nothing)).body).toEqual(DEFAULTS);
  });

  it.each([
    [{ chat_position: "top" }, 400, /left, center or right/u],
    [{ chat_position: "" }, 400, /left, center or right/u],
    [{ theme_preset: "Dark Mode" }, 400, /theme_preset/u],
    [{ theme_preset: "" }, 400, /theme_preset/u],
    [{ theme_preset: "a".repeat(65) }, 400, /theme_preset/u],
    [{ diagram_model: "m".repeat(201) }, 422, /^diagram_model: /u],
    [{ chat_position: 1 }, 422, /^chat_position: /u],
  ])("that are none are refused: %j", async (json, status, sentence) => {
    const before = await get("/api/users/preferences");
    expect(await patch("/api/users/preferences", json)).toMatchObject(refused(status, sentence));
    expect((await get("/api/users/preferences")).body).toEqual(before.body);
  });

  it("and the account itself share the diagram model", async () => {
    const one = await service.signUp();
    expect(await patch("/users/me", { diagram_model: "builtin/a" }, one)).toMatchObject({
      status: 200,
      body: { diagram_model: "builtin/a" },
    });
    expect((await get("/api/users/preferences", one)).body).toMatchObject({ diagram_model: "builtin/a" });
    await patch("/api/users/me", { diagram_model: null }, one);
    expect((await get("/api/users/me", one)).body).toMatchObject({ diagram_model: null });
  });
});

/** A picture as a text of this length. */
function picture(length: number): string {
  const head = "data:image/png;base64,";
  return head + "A".repeat(length - head.length);
}

describe("a profile", () => {
  const FULL = {
    name: "Ada Lovelace",
    avatar_url: "https://pictures.example/ada.png",
    bio: "Writes programs.\nFor engines.",
    twitter_handle: "ada",
    github_username: "ada-l",
    website_url: "http://ada.example/about?x=1",
  };
  const EMPTY = {
    avatar_url: null,
    bio: null,
    twitter_handle: null,
    github_username: null,
    website_url: null,
  };

  it("begins with the names alone, keeps what is told, and lets go of what is taken away", async () => {
    const { username } = person;
    expect((await get("/api/users/profile")).body).toEqual({ username, name: username, ...EMPTY });
    const told = await patch("/api/users/profile", FULL);
    expect(told).toMatchObject({ status: 200, body: { username, ...FULL, message: expect.any(String) } });
    await patch("/users/profile", { bio: "Other." });
    expect((await get("/users/profile")).body).toEqual({ username, ...FULL, bio: "Other." });
    // As a form sends it, and as a program does.
    await patch("/api/users/profile", { website_url: "", bio: null, twitter_handle: "", avatar_url: null });
    const { name, github_username } = FULL;
    expect((await get("/api/users/profile")).body).toEqual({ username, ...EMPTY, name, github_username });
  });

  it("holds a picture of 512000 characters, which the account shows, and none that is larger", async () => {
    expect((await patch("/api/users/profile", { avatar_url: picture(512_000) })).status).toBe(200);
    expect((await get("/api/users/me")).body).toMatchObject({ avatar_url: picture(512_000) });
    expect(await patch("/api/users/profile", { avatar_url: picture(512_001) })).toMatchObject(
      refused(422, /^avatar_url: .*512000/u),
    );
  });

  it.each([
    { avatar_url: "http://pictures.example/ada.png" },
    { avatar_url: "javascript:alert(1)" },
    { avatar_url: "data:text/html;base64,PHNjcmlwdD4=" },
    { avatar_url: 'data:image/png;base64,AAAA"onerror="alert(1)' },
    { avatar_url: "data:image/svg+xml,<svg onload=alert(1)>" },
    { website_url: "javascript:alert(1)//http://a.example" },
    { website_url: "ada.example" },
    { website_url: "http://" },
    { website_url: "https://a.example/ b" },
    { name: "" },
    { name: null },
    { bio: "b".repeat(2001) },
  ])("refuses %j", async (json) => {
    const before = await get("/api/users/profile");
    const [field = ""] = Object.keys(json);
    const answer = await patch("/api/users/profile", json);
    expect(answer).toMatchObject(refused(422, new RegExp(`^${field}: `, "u")));
    expect((await get("/api/users/profile")).body).toEqual(before.body);
  });

  it("takes a username that is free, and no other", async () => {
    const [one, other] = [await service.signUp(), await service.signUp()];
    const rename = (username: string) => patch("/api/users/profile", { username }, one);
    expect(await rename(other.username)).toMatchObject(refused(409, /^Username is already taken$/u));
    expect(await rename("Not A Name")).toMatchObject(refused(400, /Username must be/u));
    expect(await rename("settings")).toMatchObject(refused(400, /reserved/u));
    const username = `renamed-${crypto.randomUUID().slice(0, 8)}`;
    expect(await rename(username)).toMatchObject({ status: 200, body: { username } });
    const login = { username, password: one.password };
    expect((await service.call("POST", "/api/auth/login", { json: login })).status).toBe(200);
  });
});

describe("a handle", () => {
  it("is the username, under both paths", async () => {
    const one = await service.signUp();
    for (const path of ["/api/users/me/handle", "/users/me/handle"]) {
      const handle = `ada_${crypto.randomUUID().slice(0, 8)}`;
      expect(await patch(path, { handle }, one)).toMatchObject({
        status: 200,
        body: { id: one.id, username: handle, is_superuser: false },
      });
      // Again changes nothing and is fine.
      expect((await patch(path, { handle }, one)).status).toBe(200);
      expect((await get("/api/users/profile", one)).body).toMatchObject({ username: handle });
    }
  });

  it.each([
    ["ab", 400],
    ["a".repeat(33), 400],
    ["Ada", 400],
    ["ada__l", 400],
    ["-ada", 400],
    ["ada.l", 400],
    ["", 400],
    ["admin", 409],
    ["null", 409],
  ])("is not %j: %i", async (handle, status) => {
    expect(await patch("/api/users/me/handle", { handle })).toMatchObject(refused(status, /[a-z]/u));
    expect((await get("/users/me")).body).toMatchObject({ username: person.username });
  });

  it("goes to one of twenty who want it at once", async () => {
    const handle = `wanted-${crypto.randomUUID().slice(0, 8)}`;
    const people = await Promise.all(Array.from({ length: 20 }, () => service.signUp()));
    const answers = await Promise.all(
      people.map((each) => patch("/api/users/me/handle", { handle: handle }, each)),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    expect(answers.find(({ status }) => status === 409)).toMatchObject(refused(409, /already taken/u));
  });
});

it("strangers and keys see nothing of it", async () => {
  const { key } = await service.newKey(person.token);
  for (const path of ["/api/users/preferences", "/api/users/profile"]) {
    for (const token of [undefined, key, "garbage"]) {
      expect((await service.call("GET", path, { token })).status).toBe(401);
    }
  }
});
