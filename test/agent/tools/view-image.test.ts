import { describe, expect, it } from "vitest";
import { Pictures } from "#src/agent/context/pictures.ts";
import { runTool } from "#src/agent/tools/run-tool.ts";
import { transcript } from "#src/agent/context/transcript.ts";
import { turn } from "#test/agent/context/conversation.ts";
import { MemoryRuntime } from "#test/support/memory-runtime.ts";
import { gifHead, jpegHead, png, webpHead } from "#test/support/pictures.ts";
import { toolCall, toolContext } from "#test/support/tool-context.ts";

const PNG = png(30, 7);
const JPEG = jpegHead(30, 7);

const open = (files: Record<string, Uint8Array>) => {
  const runtime = new MemoryRuntime(files);
  const view = async (args: unknown, context: object = {}) =>
    (await runTool(toolCall("view_image", args), toolContext({ runtime, ...context }))).result;
  return { runtime, view };
};

describe("view_image", () => {
  it.each([
    ["a.png", PNG, "image/png"],
    ["wrong-name.png", JPEG, "image/jpeg"],
    ["a.gif", gifHead(30, 7), "image/gif"],
    ["a.webp", webpHead("VP8 ", 30, 7), "image/webp"],
  ])("shows %s as what its bytes say that it is", async (path, content, mime_type) => {
    const { view } = open({ [path]: content });
    expect(await view({ path, detail: "low" })).toMatchObject({
      success: true,
      file_path: path,
      details: { size_bytes: content.length, mime_type, width: 30, height: 7 },
      picture: { path, mime_type, detail: "low", sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) },
    });
  });

  it("fails with a reason for a file that it cannot show", async () => {
    const { view } = open({
      "a.svg": Buffer.from("<svg/>"),
      "cut.png": PNG.subarray(0, -12),
      "big.png": png(30, 7, { comment: 4_000_000 }),
      "wide.png": png(8_001, 1),
    });
    const errors = {
      "none.png": /no file/u,
      "a.svg": /not a supported picture/u,
      "cut.png": /damaged/u,
      "big.png": /has 4\.0 MB, and claude-sonnet-5 takes at most 3\.9 MB/u,
      "wide.png": /has 8001 × 1 pixels, and claude-sonnet-5 takes at most 8000/u,
    };
    const claude = { name: "claude-sonnet-5", seesPictures: true };
    for (const [path, error] of Object.entries(errors)) {
      const result = await view({ path }, { model: claude });
      expect(result).toMatchObject({ success: false, error: expect.stringMatching(error) });
    }
    for (const path of ["big.png", "wide.png"]) expect(await view({ path })).toMatchObject({ success: true });
    const model = { name: "gpt-4", seesPictures: false };
    expect(await view({ path: "big.png" }, { model })).toMatchObject({
      success: false,
      error: "gpt-4 cannot see pictures.",
    });
  });
});

/** A turn that looked at a file. */
const looked = async (view: ReturnType<typeof open>["view"], iteration: number, path: string) => {
  const step = turn(iteration, ["You see it."]);
  const result = await view({ path });
  return {
    ...step,
    tool_calls: step.tool_calls.map((call) => ({ ...call, name: "view_image", result: { ...result } })),
  };
};

const shown = async (pictures: Pictures, turns: Parameters<Pictures["beside"]>[0], seen = true) =>
  transcript({ history: [], message: "look", turns: await pictures.beside(turns, { seen }) }).flatMap(
    (message) => (message.role === "tool" ? [message.image ?? message.content] : []),
  );

const image = (mimeType: string, content: Buffer) =>
  expect.objectContaining({ type: "image", mimeType, base64: content.toString("base64"), detail: "auto" });

const gone = "You see it.\n[The picture is no longer shown. Look again if you need it.]";

describe("the pictures of a task's turns", () => {
  it("stand beside their results, as long as the file is the same and the model sees", async () => {
    const { runtime, view } = open({ "a.png": PNG, "b.jpg": JPEG });
    const turns = [await looked(view, 1, "a.png"), await looked(view, 2, "b.jpg")];
    const both = [image("image/png", PNG), image("image/jpeg", JPEG)];
    const pictures = new Pictures(runtime);
    expect(await shown(pictures, turns)).toEqual(both);
    expect(await shown(pictures, turns, false)).toEqual([gone, gone]);

    await runtime.writeFile("a.png", JPEG);
    expect(await shown(pictures, turns)).toEqual(both);
    // An executor that takes over the task sees the files as they are now.
    expect(await shown(new Pictures(runtime), turns)).toEqual([gone, both[1]]);
  });

  it("are the newest where there are too many for a request", async () => {
    const { runtime, view } = open({
      "a.png": png(1, 7, { comment: 8_000_000 }),
      "b.png": png(2, 7, { comment: 8_000_000 }),
    });
    const turns = [await looked(view, 1, "a.png"), await looked(view, 2, "b.png")];
    expect(await shown(new Pictures(runtime), turns)).toEqual([
      gone,
      expect.objectContaining({ mimeType: "image/png" }),
    ]);
  });
});
