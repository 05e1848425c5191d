import { describe, expect, it } from "vitest";
import { pictureProblem } from "#src/models/picture-limits.ts";
import { pictureTypeOf, readPicture } from "#src/models/picture.ts";
import { gifHead, jpegHead, png, webpHead } from "#test/support/pictures.ts";

describe("the head of a picture", () => {
  it.each([
    ["PNG", png(30, 7), "image/png"],
    ["JPEG", jpegHead(30, 7), "image/jpeg"],
    ["GIF", gifHead(30, 7), "image/gif"],
    ["lossy WebP", webpHead("VP8 ", 30, 7), "image/webp"],
    ["lossless WebP", webpHead("VP8L", 30, 7), "image/webp"],
    ["extended WebP", webpHead("VP8X", 30, 7), "image/webp"],
  ])("tells the type and the size of a %s", (_, bytes, mimeType) => {
    expect(readPicture(bytes)).toEqual({ mimeType, width: 30, height: 7 });
  });

  it.each([
    ["no picture", Buffer.from("<svg/>")],
    ["an empty file", Buffer.alloc(0)],
    ["a PNG without its end", png(30, 7).subarray(0, -12)],
    ["a PNG of its first bytes", png(30, 7).subarray(0, 20)],
    ["a PNG without an area", png(30, 0)],
    ["a JPEG of its first bytes", jpegHead(30, 7).subarray(0, 900)],
    ["a JPEG without a frame", Buffer.from("FFD8FFD9", "hex")],
    ["a GIF of its first bytes", gifHead(30, 7).subarray(0, 8)],
    ["a WebP that was cut off", webpHead("VP8X", 30, 7).subarray(0, -1)],
    [
      "a WebP of an unknown kind",
      Buffer.from(webpHead("VP8X", 30, 7).toString("latin1").replace("VP8X", "VP9!"), "latin1"),
    ],
  ])("is not that of %s", (_, bytes) => {
    expect(readPicture(bytes)).toBeUndefined();
  });

  it("tells the type of a damaged one", () => {
    expect(pictureTypeOf(jpegHead(30, 7).subarray(0, 4))).toBe("image/jpeg");
  });
});

describe("what a model takes of a picture", () => {
  it.each([
    ["openrouter/anthropic/claude-sonnet-4-5", 5_242_884, 10, /has 3\.9 MB, and .* at most 3\.9 MB/u],
    ["claude-sonnet-4-5", 4, 8_001, /has 8001 × 10 pixels, and claude-sonnet-4-5 takes at most 8000/u],
    ["gpt-5", 20_000_004, 10, /has 15\.0 MB/u],
  ])("depends on the model: %s, %s characters, %s pixels", (model, base64Chars, width, problem) => {
    expect(pictureProblem(model, { base64Chars, size: { width, height: 10 } })).toMatch(problem);
  });

  it.each([
    ["claude-sonnet-4-5", 5_242_880, 8_000],
    ["gpt-5", 20_000_000, 8_001],
  ])("is up to its limits: %s, %s characters, %s pixels", (model, base64Chars, width) => {
    expect(pictureProblem(model, { base64Chars, size: { width, height: 10 } })).toBeUndefined();
  });
});
