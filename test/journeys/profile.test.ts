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
  it("begin with the defaults, keep what is set, and go back to the defaults", async () => {
    const one = await service.signUp();
    const DEFAULTS = { diagram_model: null, theme_preset: "default-dark", chat_position: "center" };
    expect((await get("/api/users/preferences", one)).body).toEqual(DEFAULTS);
    const set = { diagram_model: "builtin/demo", theme_preset: "midnight-2", chat_position: "right" };
    expect(await patch("/api/users/preferences", set, one)).toMatchObject({ status: 200, body: set });
    await patch("/users/preferences", { chat_position: "left" }, one);
    expect((await get("/users/preferences", one)).body).toEqual({ ...set, chat_position: "left" });
    // The account itself shares the diagram model.
    await patch("/users/me", { diagram_model: "builtin/a" }, one);
    expect((await get("/api/users/preferences", one)).body).toMatchObject({ diagram_model: "builtin/a" });
    const nothing = { diagram_model: null, theme_preset: null, chat_position: null };
    expect((await patch("/api/users/preferences", nothing, one)).body).toEqual(DEFAULTS);
  });

  it.each([
    [{ chat_position: "top" }, 400, /left, center or right/u],
    [{ theme_preset: "Dark Mode" }, 400, /theme_preset/u],
    [{ theme_preset: "a".repeat(65) }, 400, /theme_preset/u],
    [{ diagram_model: "m".repeat(201) }, 422, /^diagram_model: /u],
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
    const empty = {
      avatar_url: null,
      bio: null,
      twitter_handle: null,
      github_username: null,
      website_url: null,
    };
    const full = {
      name: "Ada Lovelace",
      avatar_url: "https://pictures.example/ada.png",
      bio: "Writes programs.\nFor engines.",
      twitter_handle: "ada",
      github_username: "ada-l",
      website_url: "http://ada.example/about?x=1",
    };
    expect((await get("/api/users/profile", one)).body).toEqual({ username, name: username, ...empty });
    const told = await patch("/api/users/profile", full, one);
    expect(told).toMatchObject({ status: 200, body: { username, ...full, message: expect.any(String) } });
    await patch("/users/profile", { bio: "Other." }, one);
    expect((await get("/users/profile", one)).body).toEqual({ username, ...full, bio: "Other." });
    // As a form sends it, and as a program does.
    await patch(
      "/api/users/profile",
      { website_url: "", bio: null, twitter_handle: "", avatar_url: null },
      one,
    );
    const { name, github_username } = full;
    expect((await get("/api/users/profile", one)).body).toEqual({
      username,
      ...empty,
      name,
      github_username,
    });
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
    { avatar_url: 'data:image/png;base64,AAAA"onerror="alert(1)' },
    { avatar_url: "data:image/svg+xml,<svg onload=alert(1)>" },
    { website_url: "javascript:alert(1)//http://a.example" },
    { website_url: "ada.example" },
    { website_url: "https://a.example/ b" },
    { name: "" },
    { bio: "b".repeat(2001) },
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
    for (const path of ["/api/users/me/handle", "/users/me/handle"]) {
      const handle = `ada_${crypto.randomUUID().slice(0, 8)}`;
      const renamed = { status: 200, body: { id: one.id, username: handle, is_superuser: false } };
      expect(await patch(path, { handle }, one)).toMatchObject(renamed);
      // Again changes nothing and is fine.
      expect(await patch(path, { handle }, one)).toMatchObject(renamed);
    }
  });

  it.each([
    ["ab", 400],
    ["a".repeat(33), 400],
    ["Ada", 400],
    ["ada__l", 400],
    ["-ada", 400],
    ["ada.l", 400],
    ["admin", 409],
  ])("takes no handle %j: %i", async (handle, status) => {
    expect(await patch("/api/users/me/handle", { handle })).toMatchObject(refused(status, /[a-z]/u));
    expect((await get("/users/me")).body).toMatchObject({ username: person.username });
  });

  it("gives a handle to one of ten who want it at once", async () => {
    const handle = `wanted-${crypto.randomUUID().slice(0, 8)}`;
    const people = await Promise.all(Array.from({ length: 10 }, () => service.signUp()));
    const answers = await Promise.all(people.map((each) => patch("/api/users/me/handle", { handle }, each)));
    const others = answers.filter(({ status }) => status !== 200);
    expect(others).toHaveLength(9);
    for (const answer of others) expect(answer).toMatchObject(refused(409, /already taken/u));
  });
});
