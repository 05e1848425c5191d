import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startTestHosting, type TestHosting, until, visit } from "../support/hosting.ts";

let hosting: TestHosting;

beforeEach(async () => {
  hosting = await startTestHosting();
});
afterEach(() => hosting.close());

/** Deploys to Vercel and waits for the end. */
async function deploy(name: string, files: Readonly<Record<string, string>>, settings = {}) {
  const made = await hosting.json<{ id: string }>("/vercel/v13/deployments", {
    method: "POST",
    json: {
      name,
      target: "production",
      projectSettings: settings,
      files: Object.entries(files).map(([file, data]) => ({ file, data })),
    },
  });
  return until(
    () => hosting.json<{ readyState: string; url: string }>(`/vercel/v13/deployments/${made.id}`),
    ({ readyState }) => ["READY", "ERROR"].includes(readyState),
  );
}

it("is served at its name, and sandboxed by its path", async () => {
  await deploy("plain", {
    "index.html": "<h1>Hello",
    "docs/index.html": "docs",
    "app.js": "1",
    "404.html": "gone",
  });
  const page = await hosting.visit("plain");
  expect(page).toMatchObject({ status: 200, body: "<h1>Hello" });
  expect(page.headers["content-security-policy"]).toBeUndefined();
  expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect((await hosting.visit("plain", "/app.js")).headers["content-type"]).toContain("text/javascript");
  expect((await hosting.visit("plain", "/docs")).headers.location).toBe("/docs/");
  expect(await hosting.visit("plain", "/none")).toMatchObject({ status: 404, body: "gone" });
  const byPath = await hosting.call("/_sites/plain/", { token: null });
  expect(await byPath.text()).toBe("<h1>Hello");
  expect(byPath.headers.get("content-security-policy")).toBe("sandbox allow-scripts");
  expect((await hosting.call("/_sites/plain", { token: null })).headers.get("location")).toBe(
    "/_sites/plain/",
  );
  expect((await hosting.call("/_sites/plain/docs", { token: null })).headers.get("location")).toBe(
    "/_sites/plain/docs/",
  );
});

it("shows the newest deployment, each at an address of its own, and nothing once it is deleted", async () => {
  const first = await deploy("versions", { "index.html": "one" });
  await deploy("versions", { "index.html": "two" });
  expect((await hosting.visit("versions")).body).toBe("two");
  expect((await visit(hosting.url, first.url.replace(/\.localhost.*$/u, ".localhost"), "/")).body).toBe(
    "one",
  );
  expect((await hosting.call("/vercel/v9/projects/versions", { method: "DELETE" })).status).toBe(204);
  for (const at of ["/", "/index.html"]) expect((await hosting.visit("versions", at)).status).toBe(404);
  expect((await hosting.call("/_sites/versions/")).status).toBe(404);
});

it("serves public/ of a program, a folder that is named, and says why it serves nothing", async () => {
  const program = {
    "package.json": JSON.stringify({ scripts: { start: "node ." } }),
    "index.html": "source",
  };
  await deploy("program", { ...program, "public/index.html": "public" });
  expect((await hosting.visit("program")).body).toBe("public");
  expect(await deploy("without", program)).toMatchObject({ readyState: "ERROR" });
  await deploy("folder", { "site/index.html": "folder", "index.html": "top" }, { outputDirectory: "site" });
  expect((await hosting.visit("folder")).body).toBe("folder");
  expect(await deploy("no-folder", { "index.html": "" }, { outputDirectory: "dist" })).toMatchObject({
    readyState: "ERROR",
  });
});

it("leads a site's host name to nothing but the site", async () => {
  await deploy("alone", { "index.html": "alone" });
  for (const at of ["/_standin/sites", "/vercel/oauth/authorize", "/_sites/alone/", "/vercel/v2/user"]) {
    expect((await hosting.visit("alone", at)).status).toBe(404);
  }
  expect((await visit(hosting.url, "evil.test", "/_standin/sites")).status).toBe(403);
});

it("is listed with its address, and without variables and tokens", async () => {
  await hosting.json("/vercel/v11/projects", { method: "POST", json: { name: "listed" } });
  const variable = { key: "SECRET", value: "hush-hush", type: "plain", target: ["production"] };
  await hosting.json("/vercel/v10/projects/listed/env", { method: "POST", json: variable });
  const lists = await Promise.all(
    ["/", "/_standin/sites", "/_standin/deployments", "/_standin/calls"].map(async (at) =>
      (await hosting.call(at, { token: null })).text(),
    ),
  );
  expect(lists[0]).toContain("http://listed.localhost:");
  expect(lists.join("")).not.toMatch(/hush-hush|standin_ada/u);
});

it("keeps everything over a restart", async () => {
  await deploy("kept", { "index.html": "kept" });
  await hosting.restart();
  expect((await hosting.visit("kept")).body).toBe("kept");
  const account = createHash("sha256").update("standin_ada").digest("hex").slice(0, 24);
  expect(await hosting.json("/vercel/v2/user")).toMatchObject({ user: { id: account } });
});
