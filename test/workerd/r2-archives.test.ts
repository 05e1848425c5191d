import { describe, expect, it } from "vitest";
import { toStream } from "#src/lib/to-stream.ts";
import { r2Archives } from "#src/platform/archives/r2.ts";
import { bindings } from "../durable-objects/support/bindings.ts";

const archives = r2Archives(bindings.PROJECT_ARCHIVES);
const PART = 8 * 1024 * 1024;

/** So many bytes, all different from their neighbours, in chunks that fit nothing. */
async function* bytes(length: number, breaksOffAt = Infinity): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length;) {
    if (at >= breaksOffAt) throw new Error("Broken off");
    const chunk = new Uint8Array(Math.min(100_003, length - at));
    for (let index = 0; index < chunk.length; index += 1) chunk[index] = (at + index) % 251;
    at += chunk.length;
    yield chunk;
  }
}

const put = (key: string, length: number) => archives.put(key, toStream(bytes(length)));
const hex = (buffer: ArrayBuffer) => Buffer.from(buffer).toString("hex");

describe("an archive", () => {
  it.each([0, 1, PART + 1, 2 * PART])("of %i bytes comes back", async (length) => {
    const stored = await put("a", length);
    const expected = await new Response(toStream(bytes(length))).arrayBuffer();
    const sha256 = hex(await crypto.subtle.digest("SHA-256", expected));
    expect(stored).toEqual({ bytes: length, sha256 });
    const back = await new Response(await archives.get("a", sha256)).arrayBuffer();
    expect(hex(await crypto.subtle.digest("SHA-256", back))).toBe(sha256);
  });

  it("whose bytes are others fails at its end", async () => {
    const { sha256 } = await put("a", 1000);
    await put("a", 1001);
    const read = new Response(await archives.get("a", sha256)).arrayBuffer();
    await expect(read).rejects.toThrow("checksum");
    expect((await new Response(await archives.get("a")).arrayBuffer()).byteLength).toBe(1001);
  });

  it.each([0, PART + 200_000])("that breaks off after %i bytes leaves what was there", async (at) => {
    await put("a", 10);
    await expect(archives.put("a", toStream(bytes(3 * PART, at)))).rejects.toThrow("Broken off");
    expect((await new Response(await archives.get("a")).arrayBuffer()).byteLength).toBe(10);
  });

  it("is listed by the beginning of its name, and deleted with others", async () => {
    await Promise.all(["b/1", "b/2", "c/1"].map((key) => put(key, 1)));
    const listed = async () => {
      const keys: string[] = [];
      for await (const { key } of archives.list("b/")) keys.push(key);
      return keys;
    };
    expect(await listed()).toEqual(["b/1", "b/2"]);
    await archives.delete(["b/1", "b/2", "b/3"]);
    expect(await listed()).toEqual([]);
    expect(await archives.get("b/1")).toBeUndefined();
  });
});
