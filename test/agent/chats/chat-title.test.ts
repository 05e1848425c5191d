import { describe, expect, it } from "vitest";
import { chatTitle } from "#src/agent/chats/chat-title.ts";
import { titleOfMessage } from "#src/domain/agent-work/tasks/index.ts";
import { answeringModel, modelError, never, questionOf } from "#test/support/answering-model.ts";

const MESSAGE =
  "\n  Please make the login page work on phones, the button is cut off at the right edge of it.\nThanks";
const FIRST_LINE = "Please make the login page work on phones, the button is…";

const titled = async (answer: string) =>
  (
    await chatTitle({
      model: answeringModel(() => answer).model,
      message: MESSAGE,
      answer: "Done.",
      signal: never(),
    })
  ).title;

describe("a chat's title", () => {
  it.each([
    ["Login page on phones", "Login page on phones"],
    ['"Login page on phones."\n', "Login page on phones"],
    ["Title: **Login page on phones**", "Login page on phones"],
    ["# Login\tpage\u0000 on\u202E phones", "Login page\uFFFD on phones"],
    ["\n\nLogin page on phones\nIt fits the matter.", "Login page on phones"],
    ["Making the login page work well on phones", "Making the login page work well"],
    ["手机登录页面修复", "手机登录页面修复"],
    ["x".repeat(150), "x".repeat(100)],
  ])("of the answer %j is %j", async (answer, expected) => {
    expect(await titled(answer)).toBe(expected);
  });

  it("is the first line of the message when the model talks, says nothing or fails", async () => {
    expect(await titled("I am sorry, but I cannot give this conversation a title at all.")).toBe(FIRST_LINE);
    expect(await titled(" \n ")).toBe(FIRST_LINE);
    expect(await titled("**")).toBe(FIRST_LINE);
    const { model } = answeringModel(() => modelError("rate_limited", true));
    expect(await chatTitle({ model, message: MESSAGE, answer: "", signal: never() })).toEqual({
      title: FIRST_LINE,
      isFinal: false,
      usage: undefined,
    });
  });

  it("is the first line when it comes too late, and what the model was asked is counted", async () => {
    const { model: late } = answeringModel(() => "too late");
    const signal = AbortSignal.abort(new Error("time is over"));
    expect(await chatTitle({ model: late, message: MESSAGE, answer: "", signal })).toEqual({
      title: FIRST_LINE,
      isFinal: false,
      usage: expect.objectContaining({
        inputTokens: expect.toSatisfy((count) => count > 100),
        outputTokens: 0,
      }),
    });
  });

  it("says what the call took, and shows the model bounded text", async () => {
    const { model, requests } = answeringModel(() => "A title");
    const long = "y".repeat(100_000);
    const { usage } = await chatTitle({ model, message: long, answer: long, signal: never() });
    expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
    expect(questionOf(requests[0]).length).toBeLessThan(5_000);
  });

  it.each([
    ["", "Untitled"],
    ["\n \n", "Untitled"],
    ["a".repeat(60), "a".repeat(60)],
    [`${"a".repeat(59)}😀`, `${"a".repeat(59)}…`],
    [`${"ab ".repeat(20)}c`, `${"ab ".repeat(19)}ab…`],
    [`Do this, ${"x".repeat(80)}`, "Do this…"],
  ])("without a model, of %j, is %j", (message, expected) => {
    expect(titleOfMessage(message)).toBe(expected);
  });
});
