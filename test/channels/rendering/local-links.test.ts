import { describe, expect, it } from "vitest";
import { localLinks } from "#src/channels/rendering/local-links.ts";

describe("the local links of a document", () => {
  it.each<[string, string, string[]]>([
    [
      "an image and a link",
      "![chart](out/chart.png) and [report](report.pdf)",
      ["out/chart.png", "report.pdf"],
    ],
    ["a link in a list in a quotation", "> - **[a](./a.txt)**", ["./a.txt"]],
    ["a link by its name", "See [the file][1].\n\n[1]: data/a.csv", ["data/a.csv"]],
    ["the same link twice", "[a](a.txt) [b](a.txt)", ["a.txt"]],
    ["a path in angle brackets", "[a](<a file.txt>)", ["a file.txt"]],
  ])("are those of %s", (_, markdown, links) => {
    expect(localLinks(markdown)).toEqual(links);
  });

  it.each([
    "no link",
    "[a](https://example.com/a.txt)",
    "[a](//example.com/a.txt)",
    "[a](mailto:a@example.com)",
    "[a](#top)",
    "[a]()",
    "`[a](a.txt)`",
    "```\n[a](a.txt)\n```",
    `${"[".repeat(6000)}](a.txt)`,
  ])("are none in %.40s", (markdown) => {
    expect(localLinks(markdown)).toEqual([]);
  });
});
