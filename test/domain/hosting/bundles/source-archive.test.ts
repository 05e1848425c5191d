import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openBundle, storeSourceArchive } from "#src/domain/hosting/bundles/index.ts";
import { newScene } from "./scene.ts";

/** Stores the archive of a project twice, and returns its bytes. */
const archived = async (scene: ReturnType<typeof newScene>) => {
  const opened = await openBundle(scene.archives, await scene.store({ mode: "source" }));
  const keys = scene.keys().length;
  const first = await new Response((await opened.archive()).body).arrayBuffer();
  const second = await new Response((await opened.archive()).body).arrayBuffer();
  expect(scene.keys()).toHaveLength(keys + 2);
  expect(Buffer.from(first).equals(Buffer.from(second))).toBe(true);
  return Buffer.from(first);
};

describe("the archive of a bundle", () => {
  it("is what tar unpacks to the same files, of the announced length", async () => {
    const scene = newScene({
      "package.json": "{}",
      "bin/ü ö": "x".repeat(5000),
      [`${"d".repeat(120)}/${"e".repeat(120)}`]: "long",
      empty: "",
    });
    scene.project.write("bin/start", "#!/bin/sh", { mode: 0o755 });
    const bundle = await scene.store({ mode: "source" });
    const { bytes, body } = await (await openBundle(scene.archives, bundle)).archive();
    const archive = Buffer.from(await new Response(body).arrayBuffer());
    expect(archive.byteLength).toBe(bytes);
    const directory = mkdtempSync(path.join(tmpdir(), "bundle-"));
    try {
      writeFileSync(path.join(directory, "a.tar.gz"), archive);
      execFileSync("tar", ["xzf", "a.tar.gz"], { cwd: directory });
      for (const [name, content] of Object.entries(scene.project.texts())) {
        expect(readFileSync(path.join(directory, name), "utf8")).toBe(content);
      }
      expect(statSync(path.join(directory, "bin/start")).mode & 0o777).toBe(0o755);
      const list = execFileSync("tar", ["tzf", "a.tar.gz"], {
        cwd: directory,
        env: { ...process.env, LC_ALL: "C.UTF-8" },
      });
      expect(list.toString().trim().split("\n")).toHaveLength(5);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it("is stored once, and has the same bytes for the same files", async () => {
    const files = { "b.js": "b", "a.js": "a" };
    const [one, other] = [newScene(files), newScene(files)];
    other.project.write("a.js", "a", { modifiedAt: 5 });
    const archive = await archived(one);
    expect(archive.equals(await archived(other))).toBe(true);
    expect(gunzipSync(archive).subarray(0, 4).toString()).toBe("a.js");
  });

  it("is stored again when the first attempt was interrupted", async () => {
    const scene = newScene({ "a.js": "a" });
    const bundle = await scene.store({ mode: "source" });
    const put = scene.archives.put.bind(scene.archives);
    scene.archives.put = async (key, body) => {
      if (key.endsWith(".json")) throw new Error("Killed");
      return put(key, body);
    };
    await expect(storeSourceArchive(scene.archives, bundle)).rejects.toThrow("Killed");
    scene.archives.put = put;
    const { bytes } = await storeSourceArchive(scene.archives, bundle);
    expect(await storeSourceArchive(scene.archives, bundle)).toMatchObject({ bytes });
  });
});
