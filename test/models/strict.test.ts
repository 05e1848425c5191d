import { describe, expect, it } from "vitest";
import { refusedByAnthropic } from "#test/support/strict/anthropic.ts";
import { refusedByOpenAi } from "#test/support/strict/openai.ts";

const PNG = "iVBORw0KGgoAAAAN";
const user = { role: "user", content: "hi" };
const openAi = (...messages: object[]) => refusedByOpenAi({ model: "m", messages });
const anthropic = (...messages: object[]) => refusedByAnthropic({ model: "m", max_tokens: 1, messages });

const call = (id: string, name = "run", args = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const calling = (...calls: object[]) => ({ role: "assistant", content: null, tool_calls: calls });
const result = (id: string) => ({ role: "tool", tool_call_id: id, content: "done" });
const image = (url: string) => ({ role: "user", content: [{ type: "image_url", image_url: { url } }] });

const use = (id: string, name = "run") => ({ type: "tool_use", id, name, input: {} });
const using = (...content: object[]) => ({ role: "assistant", content });
const used = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "done" });
const back = (...content: object[]) => ({ role: "user", content });
const picture = (media_type: string, data: string) =>
  back({ type: "image", source: { type: "base64", media_type, data } });

describe("the strict counterpart", () => {
  it("takes what both providers take", () => {
    expect(openAi(user, calling(call("a"), call("b")), result("a"), result("b"))).toBeUndefined();
    expect(openAi(image(`data:image/png;base64,${PNG}`))).toBeUndefined();
    expect(anthropic(user, using(use("a"), use("b")), back(used("b"), used("a")))).toBeUndefined();
    expect(anthropic(picture("image/png", PNG))).toBeUndefined();
  });

  it.each([
    ["a name with a dot", [user, calling(call("a", "functions.run")), result("a")], /does not match/u],
    ["a long name", [user, calling(call("a", "x".repeat(65))), result("a")], /does not match/u],
    ["no id", [user, calling(call("")), result("")], /id/u],
    ["an id of 41 characters", [user, calling(call("x".repeat(41))), result("x".repeat(41))], /id/u],
    ["an id twice", [user, calling(call("a"), call("a")), result("a")], /duplicate tool call id/u],
    ["a call without a result", [user, calling(call("a")), user], /must be followed by tool messages/u],
    ["a call at the end", [user, calling(call("a"))], /did not have response messages/u],
    ["a result without a call", [user, result("a")], /must be a response to a preceding message/u],
    ["arguments that are cut", [user, calling(call("a", "run", "{")), result("a")], /valid JSON/u],
    ["arguments that are a list", [user, calling(call("a", "run", "[]")), result("a")], /JSON object/u],
    ["half a character", [{ role: "user", content: "\uD83D" }], /surrogate/u],
    [
      "half a character in arguments",
      [user, calling(call("a", "run", '{"a":"\\ud83d"}')), result("a")],
      /surrogate/u,
    ],
    ["NUL", [{ role: "user", content: "a\0" }], /NUL/u],
    ["an empty answer", [user, { role: "assistant", content: "" }], /content or tool_calls/u],
    ["a picture of no known type", [image(`data:image/tiff;base64,${PNG}`)], /not supported/u],
    ["a picture of another type", [image(`data:image/jpeg;base64,${PNG}`)], /does not match the media type/u],
    ["a picture that is no base64", [image("data:image/png;base64,%%%%")], /invalid base64/u],
    ["a picture of 21 MB", [image(`data:image/png;base64,${PNG.padEnd(29_360_128, "A")}`)], /20 MB/u],
  ])("refuses %s as OpenAI does", (_, messages, sentence) => {
    expect(openAi(...messages)).toMatch(sentence);
  });

  it.each([
    ["a name with a dot", [user, using(use("a", "functions.run")), back(used("a"))], /does not match/u],
    ["an id with a dot", [user, using(use("a.b")), back(used("a.b"))], /id/u],
    ["an id twice", [user, using(use("a"), use("a")), back(used("a"))], /unique/u],
    ["a call without a result", [user, using(use("a")), user], /without tool_result/u],
    ["a result without a call", [back(used("a"))], /unexpected tool_use_id/u],
    [
      "a text before a result",
      [user, using(use("a")), back({ type: "text", text: "x" }, used("a"))],
      /must come first/u,
    ],
    ["two neighbours of one role", [user, user], /must alternate/u],
    ["a beginning by the assistant", [using({ type: "text", text: "x" })], /first message/u],
    ["an empty text", [back({ type: "text", text: " " })], /non-whitespace/u],
    [
      "an error without a text",
      [user, using(use("a")), back({ ...used("a"), content: [], is_error: true })],
      /is_error/u,
    ],
    ["half a character", [{ role: "user", content: "\uD83D" }], /surrogate/u],
    ["a picture of another type", [picture("image/gif", PNG)], /does not match the media type/u],
    ["a picture of 6 MB", [picture("image/png", PNG.padEnd(8_388_608, "A"))], /5 MB/u],
  ])("refuses %s as Anthropic does", (_, messages, sentence) => {
    expect(anthropic(...messages)).toMatch(sentence);
  });
});
