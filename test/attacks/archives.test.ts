import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { sharedService } from "#test/support/shared-service.ts";
import { pax, rawTar, type RawEntry } from "./support/tar.ts";

const service = sharedService();
const { token } = await service.signUp();

const upload = (body: Uint8Array<ArrayBuffer>) =>
  service.call<{ id: string }>("POST", "/api/bases?name=x", { token, body });

const file = (name: string, text = "x"): RawEntry => ({ name, text });
const link = (name: string, linkname: string): RawEntry => ({ name, type: "2", linkname });

/** Entries of which a project must never be made. */
const HOSTILE: Readonly<Record<string, readonly RawEntry[]>> = {
  "an absolute path": [file("/etc/passwd")],
  "an absolute path after a harmless one": [file("a"), file("//etc/passwd")],
  "a path that leads out": [file("../b")],
  "a path that leads out further down": [file("a/../../b")],
  "a path that leads out and back": [file("a/../b")],
  "a path that ends in ..": [{ name: "a/..", type: "5" }],
  "a path with backslashes": [file("..\\b")],
  "a path that is not UTF-8": [pax({ path: "a\uFFFDb" }), file("a")],
  "a path that leads out in an extended header": [pax({ path: "../b" }), file("a")],
  "a path that leads out in a header for all": [pax({ path: "../b" }, "g"), file("a")],
  "a path that leads out in GNU's long name": [{ name: "x", type: "L", text: "../b\0" }, file("a")],
  "a name of 256 bytes": [pax({ path: "n".repeat(256) }), file("a")],
  "a path of 5,000 bytes": [pax({ path: "n/".repeat(2500) + "a" }), file("a")],
  "an absolute link": [link("a", "/etc/passwd")],
  "a link that leads out": [link("a", "..")],
  "a link that leads out further down": [link("d/a", "../../c")],
  "a link that leads out by way of a name": [link("a", "b/../../c")],
  "a link that leads out in an extended header": [pax({ linkpath: "/etc/passwd" }), link("a", "b")],
  "a link that leads out in GNU's long name": [{ name: "x", type: "K", text: "../b\0" }, link("a", "b")],
  "a link to nothing": [link("a", "")],
  "a file below a link": [link("a", "b"), file("a/c")],
  "a file in the place of a link": [link("a", "b"), file("a")],
  "a link in the place of a directory": [{ name: "a/", type: "5" }, link("a", "b")],
  "a file below a file": [file("a"), file("a/b")],
  "one path twice": [file("a"), file("./a", "y")],
  "a hard link": [file("a"), { name: "b", type: "1", linkname: "a" }],
  "a hard link outside": [{ name: "a", type: "1", linkname: "/etc/passwd" }],
  "a character device": [{ name: "a", type: "3" }],
  "a block device": [{ name: "a", type: "4" }],
  "a pipe": [{ name: "a", type: "6" }],
  "a file that is longer than the archive": [{ name: "a", text: "x", size: 8 * 1024 ** 3 - 1 }],
};

describe("a template of a stranger's archive", () => {
  it.each(Object.entries(HOSTILE))("is refused for %s", async (_, entries) => {
    expect(await upload(rawTar(entries))).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/archive/u) },
    });
  });

  it.each([
    ["half an archive", rawTar([file("a", "x".repeat(5000))]).subarray(0, 3000)],
    ["nothing", new Uint8Array()],
    ["no archive", new TextEncoder().encode("no tar")],
    ["a compressed archive, which could be any size", gzipSync(rawTar([file("a", "\0".repeat(1_000_000))]))],
    ["a compressed bomb", gzipSync(new Uint8Array(50 * 1024 * 1024))],
  ])("is refused for %s", async (_, bytes) => {
    expect(await upload(new Uint8Array(bytes))).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/archive/u) },
    });
  });

  it("leaves nothing behind", async () => {
    const { body } = await service.call("GET", "/api/marketplace/my-created-bases", { token });
    expect(body).toEqual({ bases: [] });
  });
});
