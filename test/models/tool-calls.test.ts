import { describe, expect, it } from "vitest";
import { callIds } from "#src/models/tool-calls.ts";

describe("callIds", () => {
  it("keeps a sent id once, and makes one up where it is missing, repeated or already in the conversation", () => {
    const toId = callIds([
      { role: "assistant", content: "", toolCalls: [{ id: "call_0", name: "run", arguments: "{}" }] },
    ]);
    const ids = [toId("call_0"), toId("call_1"), toId("call_1"), toId(undefined), toId("")];
    expect(ids[1]).toBe("call_1");
    expect(new Set([...ids, "call_0"]).size).toBe(6);
    expect(Math.max(...ids.map((id) => id.length))).toBeLessThanOrEqual(40);
  });
});
