import { describe, expect, it } from "vitest";
import { linkedFiles } from "#src/domain/messaging/deliveries/linked-files.ts";

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
