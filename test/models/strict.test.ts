import { expect, it } from "vitest";
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

it("the strict counterpart takes what both providers take", () => {
  expect(openAi(user, calling(call("a"), call("b")), result("a"), result("b"))).toBeUndefined();
  expect(openAi(image(`data:image/png;base64,${PNG}`))).toBeUndefined();
  expect(anthropic(user, using(use("a"), use("b")), back(used("b"), used("a")))).toBeUndefined();
  expect(anthropic(picture("image/png", PNG))).toBeUndefined();
});

it.each([
  ["a name with a dot", openAi(user, calling(call("a", "functions.run")), result("a")), /does not match/u],
  ["an id of 41 characters", openAi(user, calling(call("x".repeat(41))), result("x".repeat(41))), /id/u],
  ["an id twice", openAi(user, calling(call("a"), call("a")), result("a")), /duplicate tool call id/u],
  ["a call without a result", openAi(user, calling(call("a")), user), /must be followed by tool messages/u],
  ["a result without a call", openAi(user, result("a")), /must be a response to a preceding message/u],
  ["arguments that are cut", openAi(user, calling(call("a", "run", "{")), result("a")), /valid JSON/u],
  ["half a character", openAi({ role: "user", content: "\uD83D" }), /surrogate/u],
  ["NUL", openAi({ role: "user", content: "a\0" }), /NUL/u],
  ["an empty answer", openAi(user, { role: "assistant", content: "" }), /content or tool_calls/u],
  ["a picture of another type", openAi(image(`data:image/jpeg;base64,${PNG}`)), /match the media type/u],
])("the strict counterpart refuses %s as OpenAI does", (_, refusal, sentence) => {
  expect(refusal).toMatch(sentence);
});

it.each([
  ["an id with a dot", anthropic(user, using(use("a.b")), back(used("a.b"))), /id/u],
  ["an id twice", anthropic(user, using(use("a"), use("a")), back(used("a"))), /unique/u],
  ["a call without a result", anthropic(user, using(use("a")), user), /without tool_result/u],
  ["a result without a call", anthropic(back(used("a"))), /unexpected tool_use_id/u],
  ["two neighbours of one role", anthropic(user, user), /must alternate/u],
  ["a beginning by the assistant", anthropic(using({ type: "text", text: "x" })), /first message/u],
  ["an empty text", anthropic(back({ type: "text", text: " " })), /non-whitespace/u],
  ["a picture of 6 MB", anthropic(picture("image/png", PNG.padEnd(8_388_608, "A"))), /5 MB/u],
])("the strict counterpart refuses %s as Anthropic does", (_, refusal, sentence) => {
  expect(refusal).toMatch(sentence);
});
