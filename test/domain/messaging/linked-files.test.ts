import { describe, expect, it } from "vitest";
import { linkedFiles } from "#src/domain/messaging/deliveries/linked-files.ts";
import { imageTypeOf } from "#src/domain/messaging/media/image-type.ts";

describe("the files that an answer links to", () => {
  it("are paths of the project, at most five, each once", async () => {
    const links = ["a.txt", "./a.txt", "b%20c.txt#L1", "d.txt?raw=1", "e", "f", "g"];
    const markdown = links.map((link) => `[x](${link})`).join(" ");
    expect(await linkedFiles(markdown)).toEqual(["a.txt", "b c.txt", "d.txt", "e", "f"]);
  });

  it.each([
    ".env",
    "src/.secret/a.txt",
    ".chat/x/uploads/a.png",
    "/etc/passwd",
    "../a.txt",
    "%2e%2e/a",
    "%zz",
  ])("do not include %s", async (link) => {
    expect(await linkedFiles(`[x](${link})`)).toEqual([]);
  });
});

describe("the type of a picture", () => {
  it.each<[string, number[], string | undefined]>([
    ["PNG", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "image/png"],
    ["JPEG", [0xff, 0xd8, 0xff, 0xe0], "image/jpeg"],
    ["GIF", [0x47, 0x49, 0x46, 0x38, 0x39, 0x61], "image/gif"],
    ["WebP", [0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x45, 0x42, 0x50], "image/webp"],
    ["a text", [0x3c, 0x73, 0x76, 0x67], undefined],
    ["nothing", [], undefined],
  ])("is told by the first bytes of %s", (_, bytes, type) => {
    expect(imageTypeOf(Uint8Array.from(bytes))).toBe(type);
  });
});
