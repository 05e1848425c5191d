import { describe, expect, it } from "vitest";
import { questionOf } from "#src/domain/messaging/deliveries/approval-card.ts";
import { linkedFiles } from "#src/domain/messaging/deliveries/files.ts";
import { hostileTexts } from "#test/cli/support/hostile-texts.ts";

describe("a question in a chat", () => {
  it("hides nothing, reorders nothing and draws no line of its own", () => {
    for (const text of [...hostileTexts(), "rm -rf ~ #\u2028May the agent use **ls**?"]) {
      const questions = [
        questionOf("bash_exec", { command: text }),
        questionOf(text, { a: 1, [text]: text }),
      ];
      for (const question of questions) {
        expect(question).not.toMatch(/[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\u200B\u202A-\u202E\u2066-\u2069]/u);
      }
    }
  });

  it.each([
    ["txt.\u202Efdp.exe", "txt.\\u{202E}fdp.exe"],
    ["pass\u200Bword", "pass\\u{200B}word"],
    ["ls\u2028rm", "ls\\u{2028}rm"],
    ["ls\r\nrm\t1 👩‍💻", "ls\nrm\t1 👩‍💻"],
  ])("shows %j as %j", (command, shown) => {
    expect(questionOf("bash_exec", { command })).toContain(`\n${shown}\n`);
  });

  it("says that it is cut where escapes make it longer than what is shown", () => {
    expect(questionOf("bash_exec", { command: "\u202E".repeat(1_000) })).toContain("in the browser");
    expect(questionOf("bash_exec", { command: "x".repeat(1_200) })).not.toContain("in the browser");
  });
});

describe("the files that an answer links to", () => {
  it("are paths of the project, at most five, each once", async () => {
    const links = ["a.txt", "./a.txt", "b%20c.txt#L1", "d.txt?raw=1", "e", "f", "g"];
    const markdown = links.map((link) => `[x](${link})`).join(" ");
    expect(await linkedFiles(markdown)).toEqual(["a.txt", "b c.txt", "d.txt", "e", "f"]);
  });

  it("include none that is hidden, outside of the project or no path", async () => {
    const links = [
      ".env",
      "src/.secret/a.txt",
      ".chat/x/uploads/a.png",
      "/etc/passwd",
      "../a.txt",
      "%2e%2e/a",
      "%zz",
    ];
    for (const link of links) expect(await linkedFiles(`[x](${link})`)).toEqual([]);
  });
});
