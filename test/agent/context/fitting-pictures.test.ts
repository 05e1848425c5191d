import { describe, expect, it } from "vitest";
import { Compaction } from "#src/agent/context/compaction.ts";
import { ConversationWindow } from "#src/agent/context/within-window.ts";
import { withFittingPictures } from "#src/agent/context/fitting-pictures.ts";
import type { PastTurn } from "#src/agent/turns/kept-parts.ts";
import type { ImagePart, ModelMessage } from "#src/models/model.ts";
import { answeringModel, modelError, never } from "#test/support/answering-model.ts";
import { expectValid, turn } from "../context/conversation.ts";

const picture = (name: string, rest: Partial<ImagePart> = {}): ImagePart => ({
  type: "image",
  mimeType: "image/png",
  base64: "AAAA",
  size: { width: 3, height: 2 },
  name,
  ...rest,
});

/** A turn that looked at a picture. */
const looked = (iteration: number, image = picture(`${iteration}.png`)): PastTurn => ({
  ...turn(iteration, ["You see it."]),
  pictures: new Map([[`call_${iteration}_0`, image]]),
});

/** Names of the pictures that a request shows. */
const shown = (messages: readonly ModelMessage[]) =>
  messages.flatMap((message) => {
    if (message.role === "tool") return message.image?.name ?? [];
    if (message.role !== "user" || typeof message.content === "string") return [];
    return message.content.flatMap((part) => (part.type === "image" ? (part.name ?? []) : []));
  });

const result = (image: ImagePart): ModelMessage => ({
  role: "tool",
  callId: "c",
  name: "view_image",
  content: "You see it.",
  isError: false,
  image,
});

describe("the pictures of a request", () => {
  it("are the newest twenty, with notes in the place of the others", () => {
    const names = Array.from({ length: 25 }, (_, at) => `${at}.png`);
    const asked: ModelMessage = {
      role: "user",
      content: [picture("asked.png"), { type: "text", text: "see" }],
    };
    const messages = withFittingPictures([asked, ...names.map((name) => result(picture(name)))], "gpt-5");
    expect(shown(messages)).toEqual(names.slice(5));
    expect(JSON.stringify(messages[0])).toMatch(/asked\.png is no longer shown/u);
    expect(messages[1]).toMatchObject({
      content: expect.stringMatching(/^You see it\.\n\[.* 0\.png is no longer/u),
    });
  });

  it("are the newest that fit into 20,000,000 characters", () => {
    const large = { base64: "A".repeat(8_000_000) };
    const names = Array.from({ length: 10 }, (_, at) => `${at}.png`);
    const messages = withFittingPictures(
      names.map((name) => result(picture(name, large))),
      "gpt-5",
    );
    expect(shown(messages)).toEqual(["8.png", "9.png"]);
  });

  it("are those that the model takes; a note says what is wrong with another", () => {
    const wide = result(picture("wide.png", { size: { width: 9_000, height: 10 } }));
    expect(shown(withFittingPictures([wide, result(picture("a.png"))], "claude-sonnet-5"))).toEqual([
      "a.png",
    ]);
    expect(withFittingPictures([wide], "claude-sonnet-5")).toMatchObject([
      { content: expect.stringMatching(/wide\.png is not shown: it has 9000 × 10 pixels, .*Tell the user/u) },
    ]);
    expect(shown(withFittingPictures([wide], "gpt-5"))).toEqual(["wide.png"]);
  });
});

describe("a request that the provider refuses", () => {
  it.each([
    ["invalid_request", [], 2],
    // Its text may be what is too long: it gets shorter first.
    ["context_too_long", [["asked.png", "2.png"]], 1],
  ] as const)(
    "as %s goes on without the pictures that it had, and so do later ones",
    async (code, before, results) => {
      const stored: Compaction[] = [];
      const message = [picture("asked.png"), { type: "text" as const, text: "see" }];
      const open = (turns: PastTurn[]) =>
        new ConversationWindow({
          system: "s",
          tools: [],
          conversation: { history: [], message, turns },
          model: answeringModel(() => "a summary").model,
          compaction: stored.at(-1) ?? null,
          signal: never(),
          onCompacted: async (compaction) => {
            stored.push(Compaction.parse(compaction));
          },
          onSummaryFailed: () => undefined,
        });
      const turns = [looked(1), looked(2)];
      const window = open(turns);
      expect(shown(await window.messages())).toEqual(["asked.png", "1.png", "2.png"]);
      for (const kept of before) expect(shown(await window.shrink(modelError(code)))).toEqual(kept);
      const messages = await window.shrink(modelError(code));
      expect(shown(messages)).toEqual([]);
      expectValid(messages);
      const refused = messages.filter(({ role }) => role === "tool");
      expect(refused).toHaveLength(results);
      expect(refused[0]).toMatchObject({ content: expect.stringContaining(`the test says ${code}`) });
      for (const one of refused) expect(one).toMatchObject({ isError: true });
      await expect(window.shrink(modelError("invalid_request"))).rejects.toMatchObject({
        code: "invalid_request",
      });

      const later = open([...turns, looked(3)]);
      expect(shown(await later.messages())).toEqual(["3.png"]);
      expect(shown(await later.shrink(modelError("invalid_request")))).toEqual([]);
    },
  );
});
