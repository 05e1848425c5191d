import { beforeAll, describe, expect, it } from "vitest";
import { previewVisitor, signedInVisitor, type PreviewVisitor } from "#test/support/preview-visitor.ts";
import { sharedService } from "#test/support/shared-service.ts";
import { newRunningSite, type Site } from "#test/support/site.ts";

const service = sharedService();
const owner = await service.signUp("owner");
const site = await newRunningSite(service, owner.token, {
  "index.html": "<h1>Welcome</h1>",
  "style.css": "body {}",
  "docs/index.html": "the docs",
  "404.html": "nothing here",
  ".env": "SECRET=1",
  ".git/config": "[core]",
});

const pathOf = ({ slug }: Site) => `${service.url}/preview/${slug}/web`;

describe("a private preview on a host of its own", () => {
  it("leads a visitor through the service and back, and keeps a cookie for that host alone", async () => {
    const visitor = await signedInVisitor(service, owner);
    const { status, text, url } = await visitor.follow(`${site.url}/?from=link`);
    expect([status, text]).toEqual([200, "<h1>Welcome</h1>"]);
    expect(url).toBe(`${site.url}/?from=link`);
    expect([...visitor.cookies(site.host).keys()]).toEqual(["preview_session"]);
    expect(visitor.cookies("localhost").size).toBe(0);
  });

  it("asks a person who is not signed in to sign in, and a program for credentials", async () => {
    const stranger = previewVisitor(service.url);
    const { url } = await stranger.follow(site.url);
    expect(new URL(url).pathname).toBe("/login");
    expect(new URL(url).searchParams.get("next")).toMatch(/^\/api\/previews\/enter\?/u);
    const program = await stranger.open(site.url, { accept: "application/json" });
    expect(program).toMatchObject({ status: 401, text: '{"detail":"Not authenticated"}' });
  });

  it("takes an entrance only from the browser that asked for it, and sends it to no other host", async () => {
    const visitor = await signedInVisitor(service, owner);
    const asked = await visitor.open(site.url);
    const answered = await visitor.open(String(asked.headers.location));
    const entrance = String(answered.headers.location);
    expect(entrance).toMatch(`${site.url}/.workspace/enter?token=`);
    const thief = previewVisitor(service.url);
    expect(await thief.open(entrance)).toMatchObject({ status: 400 });
    thief.cookies(site.host).set("preview_nonce", "made-up");
    expect(await thief.open(entrance)).toMatchObject({ status: 400 });
    const elsewhere = new URL(entrance);
    elsewhere.searchParams.set("path", "//evil.example/");
    expect((await visitor.open(elsewhere.href)).headers.location).toBe("/");

    const foreign = new URL(String(asked.headers.location));
    foreign.searchParams.set("host", "a--b.localhost.evil.example");
    expect(await visitor.open(foreign.href)).toMatchObject({ status: 400 });
  });

  it("closes when its visitor signs out, and takes no other token of ours", async () => {
    const leaver = await service.signUp("leaver");
    const own = await newRunningSite(service, leaver.token, { "index.html": "mine" });
    const visitor = await signedInVisitor(service, leaver);
    await visitor.follow(own.url);
    expect(await visitor.open(own.url)).toMatchObject({ status: 200 });
    visitor.cookies(site.host).set("preview_session", visitor.cookies(own.host).get("preview_session") ?? "");
    expect(await visitor.open(site.url)).toMatchObject({ status: 302 });
    await service.call("POST", "/api/auth/logout", { token: leaver.token });
    expect(await visitor.open(own.url)).toMatchObject({ status: 302 });

    visitor.cookies(site.host).set("preview_session", owner.token);
    expect(await visitor.open(site.url)).toMatchObject({ status: 302 });
  });

  it("is open to API callers who may see containers, whose token goes no further", async () => {
    const { key } = await service.newKey(owner.token, site.id);
    const visitor = previewVisitor(service.url);
    const asked = (token: string) => visitor.open(site.url, { authorization: `Bearer ${token}` });
    expect(await asked(key)).toMatchObject({ status: 200 });
  });

  it("refuses what a page of another preview sends in its visitor's name", async () => {
    const visitor = await signedInVisitor(service, owner);
    await visitor.follow(site.url);
    const origin = site.url.replace(site.slug, "other-abc123");
    expect(await visitor.open(site.url, { origin }, "POST")).toMatchObject({ status: 403 });
    const sibling = site.url.replace("--web", "--api");
    expect(await visitor.open(site.url, { origin: sibling }, "POST")).toMatchObject({ status: 405 });
  });
});

describe("what is shown", () => {
  let visitor: PreviewVisitor;
  beforeAll(async () => {
    visitor = await signedInVisitor(service, owner);
    await visitor.follow(site.url);
  });
  const get = (path: string, headers?: Record<string, string>) => visitor.open(site.url + path, headers);

  it("are the files of the container, with their types", async () => {
    expect((await get("/style.css")).headers).toMatchObject({
      "content-type": "text/css; charset=utf-8",
      "content-length": "7",
      "x-content-type-options": "nosniff",
    });
    expect(await get("/docs/")).toMatchObject({ status: 200, text: "the docs" });
    expect((await get("/docs?a=1")).headers.location).toBe("/docs/?a=1");
    expect(await get("/missing")).toMatchObject({ status: 404, text: "nothing here" });
  });

  it("is not sent again when it is the same, and changes with the file", async () => {
    const { etag } = (await get("/style.css")).headers;
    expect(await get("/style.css", { "if-none-match": String(etag) })).toMatchObject({
      status: 304,
      text: "",
    });
  });

  it("is never what is hidden", async () => {
    for (const path of ["/.env", "/.git/config", "/%2eenv", "/docs/..%2f.env", "/%00"]) {
      const { status, text } = await get(path);
      expect([path, status]).toEqual([path, 404]);
      expect(text).not.toMatch(/SECRET|core/u);
    }
  });
});

it("the hosts of previews have nothing of the API's", async () => {
  const visitor = previewVisitor(service.url);
  for (const path of ["/api/users/me", "/health", "/functions/agent-step", "/account/sessions"]) {
    const asked = await visitor.open(site.url + path, { authorization: `Bearer ${owner.token}` });
    expect([path, asked]).toMatchObject([path, { status: 404, text: "nothing here" }]);
    expect((await visitor.open(`http://nothing.localhost${path}`)).status).toBe(404);
  }
});

it("the path form gives a signed-in person an address with a token, and a page without an origin", async () => {
  const visitor = await signedInVisitor(service, owner);
  const { status, text, url, headers } = await visitor.follow(`${pathOf(site)}/docs/?x=1`);
  expect([status, text]).toEqual([200, "the docs"]);
  expect(url).toMatch(/\/preview\/[^/]+\/web\/~[^/]+\/docs\/\?x=1$/u);
  expect(headers).toMatchObject({
    "content-security-policy": "sandbox allow-scripts allow-forms",
    "access-control-allow-origin": "*",
    "referrer-policy": "no-referrer",
  });
  // What its page loads comes without cookies, by the token in the address.
  const page = previewVisitor(service.url);
  expect(await page.open(new URL("../style.css", url).href)).toMatchObject({ status: 200 });
  const other = await newRunningSite(service, owner.token, { "index.html": "other" });
  expect(await page.open(url.replace(site.slug, other.slug))).toMatchObject({ status: 401 });
  const stranger = await signedInVisitor(service, await service.signUp("other"));
  expect(await stranger.follow(`${pathOf(site)}/`)).toMatchObject({ status: 404 });
});

it("a public project's preview is open to everybody, and says when it does not run", async () => {
  const open = await newRunningSite(service, owner.token, { "index.html": "for all" });
  const { token } = owner;
  await service.call("PATCH", `/api/projects/${open.id}`, { token, json: { visibility: "public" } });
  const visitor = previewVisitor(service.url);
  expect(await visitor.open(open.url)).toMatchObject({ status: 200, text: "for all" });
  const byPath = await visitor.open(`${pathOf(open)}/`);
  expect(byPath).toMatchObject({ status: 200, text: "for all" });
  await open.stop();
  expect(await visitor.open(open.url)).toMatchObject({ status: 503 });
});

it("GET /api/auth/verify-access tells a proxy whether its visitor may see a preview", async () => {
  const asked = async (token: string, headers: Record<string, string>) =>
    (await service.call("GET", "/api/auth/verify-access", { token, headers })).status;
  const other = await service.signUp("other");
  expect(await asked(owner.token, { "x-forwarded-host": site.host })).toBe(204);
  expect(await asked(other.token, { "x-forwarded-host": site.host })).toBe(401);
  expect(await asked(owner.token, { "x-expected-user-id": owner.id })).toBe(204);
  expect(await asked(owner.token, { "x-expected-user-id": other.id })).toBe(401);
  expect(await asked(owner.token, {})).toBe(401);
});
