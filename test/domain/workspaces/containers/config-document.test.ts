import { describe, expect, it } from "vitest";
import { analyzeProject, ConfigDocument, readConfigFile } from "#src/domain/workspaces/containers/index.ts";
import { flawOf, settleDocument } from "#src/domain/workspaces/containers/config-document.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";

describe("a configuration document", () => {
  const sound = {
    apps: { web: { start: "npm start" } },
    infrastructure: { db: { image: "postgres" } },
    primaryApp: "web",
  };

  it("may leave almost everything out", () => {
    const settled = settleDocument(ConfigDocument.parse(sound), { reservedPorts: [] });
    expect(settled.apps["web"]).toMatchObject({ directory: ".", port: 3000, env: {} });
    const elsewhere = settleDocument(ConfigDocument.parse(sound), { reservedPorts: [3000] });
    expect(elsewhere.apps["web"]).toMatchObject({ port: 3001 });
    expect(flawOf(ConfigDocument.parse(sound))).toBeUndefined();
  });

  it.each([
    [{ primaryApp: "db" }, "primaryApp must be one of apps"],
    [{ primaryApp: "" }, "primaryApp must be one of apps"],
    [
      { connections: [{ from: "web", to: "cache" }] },
      "connections names `cache`, which is neither in apps nor in infrastructure",
    ],
    [{ connections: [{ from: "web", to: "web" }] }, "connections: `web` cannot be connected to itself"],
    [
      { previews: { main: { target: "site" } } },
      "previews names `site`, which is neither in apps nor in infrastructure",
    ],
    [{ infrastructure: { web: {} } }, "`web` is both in apps and in infrastructure"],
  ])("%j is refused: %s", (change, flaw) => {
    expect(flawOf(ConfigDocument.parse({ ...sound, ...change }))).toBe(flaw);
  });

  it.each([
    ["{", ".workspace/config.json is not JSON"],
    [
      '{"primaryApp":"a","apps":{"a":{"start":"x","port":70000}}}',
      ".workspace/config.json is not valid: apps.a.port: must be from 1 to 65535",
    ],
  ])("a file with %s is told what is wrong", async (text, message) => {
    const files = new MemoryRuntime({ ".workspace/config.json": text });
    await expect(readConfigFile(files)).rejects.toMatchObject({ code: "invalid_input", message });
  });
});

const manifest = (value: object) => JSON.stringify(value);

const guess = async (files: Record<string, string>) => {
  const { apps, primaryApp } = await analyzeProject(new MemoryRuntime(files));
  const brief = Object.entries(apps).map(([name, app]) => [name, app.directory, app.port, app.framework]);
  return [primaryApp, ...brief];
};

describe("what a project consists of is guessed", () => {
  it.each([
    ["a page", { "index.html": "" }, ["app", ["app", ".", 3000, "static"]]],
    [
      "a vite app",
      {
        "package.json": manifest({ scripts: { dev: "vite" }, devDependencies: { vite: "8" } }),
        "index.html": "",
      },
      ["app", ["app", ".", 5173, "vite"]],
    ],
    ["a fastapi server", { "requirements.txt": "FastAPI==1.0\n" }, ["app", ["app", ".", 8000, "fastapi"]]],
    ["a go server", { "go.mod": "module a", "main.go": "" }, ["app", ["app", ".", 8080, "go"]]],
    [
      "a workspace",
      {
        "package.json": manifest({ scripts: { dev: "turbo" } }),
        "apps/web/package.json": manifest({ scripts: { dev: "next dev" }, dependencies: { next: "16" } }),
        "apps/api/go.mod": "module api",
        "node_modules/x/package.json": manifest({ scripts: { start: "no" } }),
      },
      ["api", ["api", "apps/api", 8080, "go"], ["web", "apps/web", 3000, "next"]],
    ],
    ["notes", { "notes.md": "" }, [""]],
    ["a broken manifest", { "package.json": "{" }, [""]],
  ])("from %s", async (_, files: Record<string, string>, expected) => {
    expect(await guess(files)).toEqual(expected);
  });

  it("from files only", async () => {
    await expect(guess({})).rejects.toThrow("The project has no files yet");
  });
});
