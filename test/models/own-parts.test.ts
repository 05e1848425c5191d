import { describe, expect, it } from "vitest";
import type { KeptPart } from "#src/models/kept-part.ts";
import { withBoundParts, withOwnParts } from "#src/models/own-parts.ts";
import type { ModelMessage, ModelRequest } from "#src/models/model.ts";

const owner = { provider: "anthropic", model: "claude-sonnet-5-5" };
const question: ModelMessage = { role: "user", content: "go" };
const turn = (id: string, kept?: KeptPart): ModelMessage[] => [
  {
    role: "assistant",
    content: id,
    toolCalls: [{ id, name: "run", arguments: "{}" }],
    ...(kept && { kept }),
  },
  { role: "tool", callId: id, name: "run", content: "done", isError: false },
];
const asking = (messages: ModelMessage[], rest: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "s",
  tools: [],
  messages,
  ...rest,
});
const part = (prefix: string | null, content = "signed", by = owner): KeptPart => ({
  ...by,
  prefix,
  content,
});
/** What of a request goes back, by the turns. */
const sent = ({ messages }: ModelRequest) =>
  messages.flatMap((message) => (message.role === "assistant" ? [message.kept?.content] : []));

describe("parts of the model that is asked", () => {
  it("go back, those of others do not", () => {
    const other = { ...owner, model: "claude-opus-5-5" };
    const elsewhere = { ...owner, provider: "custom/own" };
    const request = asking([
      question,
      ...turn("a", part(null)),
      ...turn("b", part(null, "signed", other)),
      ...turn("c", part(null, "signed", elsewhere)),
      ...turn("d"),
    ]);
    expect(sent(withOwnParts(request, owner))).toEqual(["signed", undefined, undefined, undefined]);
  });
});

describe("parts that are bound to what comes before them", () => {
  /** A conversation of two turns, each with the part that its answer came with. */
  const messages: ModelMessage[] = [question];
  for (const id of ["a", "b"]) {
    const { prefix } = withBoundParts(asking(messages), owner);
    messages.push(...turn(id, part(prefix, id)));
  }

  it("go back as long as the conversation only grows", () => {
    expect(sent(withBoundParts(asking(messages), owner).request)).toEqual(["a", "b"]);
    expect(sent(withBoundParts(asking([...messages, question]), owner).request)).toEqual(["a", "b"]);
  });

  it.each([
    ["the system prompt", asking(messages, { system: "another" })],
    ["the tools", asking(messages, { tools: [{ name: "n", description: "", parameters: {} }] })],
    ["the first message", asking([{ role: "user", content: "went" }, ...messages.slice(1)])],
  ])("are left out once %s has changed", (_, request) => {
    expect(sent(withBoundParts(request, owner).request)).toEqual([undefined, undefined]);
  });

  it("are left out behind a result that was cut, and behind a part that is gone", () => {
    const cut = messages.with(2, { role: "tool", callId: "a", name: "run", content: "cut", isError: false });
    expect(sent(withBoundParts(asking(cut), owner).request)).toEqual(["a", undefined]);
    const gone = [question, ...turn("a"), ...messages.slice(3)];
    expect(sent(withBoundParts(asking(gone), owner).request)).toEqual([undefined, undefined]);
  });

  it("go back to their model after a turn of another one", () => {
    const other = { ...owner, model: "claude-opus-5-5" };
    const long = [...messages];
    const there = withBoundParts(asking(long), other);
    expect(sent(there.request)).toEqual([undefined, undefined]);
    long.push(...turn("c", part(there.prefix, "c", other)));
    const back = withBoundParts(asking(long), owner);
    expect(sent(back.request)).toEqual(["a", "b", undefined]);
    long.push(...turn("d", part(back.prefix, "d")));
    expect(sent(withBoundParts(asking(long), owner).request)).toEqual(["a", "b", undefined, "d"]);
  });
});
