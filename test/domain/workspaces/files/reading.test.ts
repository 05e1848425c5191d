import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toBytes, toText } from "#src/domain/workspaces/files/contents.ts";
import {
  listTexts,
  openFile,
  readBatch,
  readText,
  readTree,
  type Encoding,
} from "#src/domain/workspaces/files/index.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";

const binary = Uint8Array.of(0xff, 0x00, 0xfe);
const MEGABYTE = 1024 * 1024;
const read = async (runtime: MemoryRuntime, path: string, encoding: Encoding) =>
  readText(await openFile(runtime, path), encoding);

describe("readText", () => {
  it("reads text as it is and anything as base64", async () => {
    const runtime = new MemoryRuntime({ "a.txt": "déjà\r\n", "b.bin": binary });
    const text = { content: "déjà\r\n", encoding: "utf-8", size: 8, version: "1" };
    expect(await read(runtime, "a.txt", "utf-8")).toEqual(text);
    const bytes = { content: "/wD+", encoding: "base64", size: 3, version: "2" };
    expect(await read(runtime, "b.bin", "base64")).toEqual(bytes);
  });

  it("names the raw form for a file that is not text, and for one that is too large", async () => {
    const runtime = new MemoryRuntime({ "b.bin": binary, large: new Uint8Array(12 * MEGABYTE + 1) });
    const message = expect.stringContaining("files/raw");
    const notText = { code: "invalid_input", message };
    await expect(read(runtime, "b.bin", "utf-8")).rejects.toMatchObject(notText);
    await expect(read(runtime, "large", "base64")).rejects.toMatchObject({ code: "too_large", message });
    await expect(read(runtime, "none", "utf-8")).rejects.toMatchObject({ code: "not_found" });
  });
});

const shown = async (paths: string[], directory = "", options = {}) => {
  const runtime = new MemoryRuntime(Object.fromEntries(paths.map((path) => [path, "x"])));
  const tree = await readTree(runtime, directory, options);
  return tree.flatMap(({ kind, path }) => (kind === "file" ? [path] : [])).toSorted();
};

describe("readTree", () => {
  it("leaves out what an editor does not show", async () => {
    const kept = ["src/app.ts", ".gitignore", ".env", "Makefile", "distance/x.py", "lock", "README.md"];
    const left = [
      ".DS_Store",
      "a/Thumbs.db",
      ".env.local",
      "logo.PNG",
      "package.lock",
      "app.js.map",
      "a.woff2",
    ];
    expect(await shown([...kept, ...left])).toEqual(kept.toSorted());
  });

  it("shows every file of the project with `all`, also binary and generated ones", async () => {
    const kept = ["logo.png", "dist/app.js.map", "build/a", "yarn.lock", ".env.local"];
    const left = [".git/config", "a/node_modules/b/index.js"];
    expect(await shown([...kept, ...left], "", { all: true })).toEqual(kept.toSorted());
  });

  it("names files relative to the directory", async () => {
    expect(await shown(["app/src/a.ts", "app/b.ts", "c.ts"], "app")).toEqual(["b.ts", "src/a.ts"]);
  });
});

describe("readBatch", () => {
  it("returns what it can read and names the rest, in the order of the request", async () => {
    const runtime = new MemoryRuntime({ "app/a": "A", "app/b": "B", "app/bin": binary });
    const batch = await readBatch(runtime, "app", ["b", "missing", "a", "bin", "../a"]);
    expect(batch.files).toEqual([
      { path: "b", content: "B", size: 1, version: "2" },
      { path: "a", content: "A", size: 1, version: "1" },
    ]);
    expect(batch.errors.map(({ path }) => path)).toEqual(["missing", "bin", "../a"]);
  });

  it("returns no more than one response can hold", async () => {
    const paths = Array.from({ length: 20 }, (_, index) => `${index}`);
    const files = Object.fromEntries(paths.map((path) => [path, "x".repeat(MEGABYTE)]));
    const { files: found, errors } = await readBatch(new MemoryRuntime(files), undefined, paths);
    expect(found).toHaveLength(12);
    expect(errors).toHaveLength(8);
  });

  it("fails when the runtime fails", async () => {
    const runtime = new MemoryRuntime({ a: "A" });
    runtime.readStream = () => Promise.reject(new Error("gone"));
    await expect(readBatch(runtime, undefined, ["a"])).rejects.toThrow("gone");
  });
});

describe("listTexts", () => {
  it("holds 200 small text files and no others", async () => {
    const files: Record<string, string | Uint8Array> = { "0-large": "x".repeat(100_001), "0-binary": binary };
    for (let index = 0; index < 250; index += 1) files[`f${index}`] = `${index}`;
    const listed = await listTexts(new MemoryRuntime(files), "");
    expect(listed).toHaveLength(199);
    expect(listed[0]).toMatchObject({ entry: { path: "f0" }, content: "0" });
  });
});

describe("contents as JSON text", () => {
  it("brings any bytes through base64 and back", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect([...toBytes(toText(bytes, "base64") ?? "", "base64")]).toEqual([...bytes]);
      }),
    );
  });

  it("brings any text through UTF-8 and back, a byte order mark included", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(toText(toBytes(`\uFEFF${text}`, "utf-8"), "utf-8")).toBe(`\uFEFF${text}`);
      }),
    );
  });

  it("recognises binary contents", () => {
    expect(toText(Uint8Array.of(0xff, 0xfe), "utf-8")).toBeUndefined();
  });

  it("refuses what is not base64, and half of a surrogate pair, which would come back as something else", () => {
    for (const text of ["a", "abc", "ab=c", "a b=", "????", "YQ==="]) {
      expect(() => toBytes(text, "base64")).toThrow("not base64");
    }
    expect(() => toBytes("\ud800", "utf-8")).toThrow("Unicode");
  });
});
