import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const pages = globSync(["*.md", "docs/**/*.md", "cli/README.md", "sdk/README.md"]);
/** Commands of a page's blocks, one a line, also those that go on in the next. */
const commandsIn = (page: string): string[] =>
  Array.from(
    readFileSync(page, "utf8").matchAll(/^```sh[^\n]*\n(?<code>.*?)^```/gmsu),
    ([, code = ""]) => code,
  ).flatMap((code) => code.replaceAll(/(?:\\|\|)\n\s*/gu, "| ").split("\n"));

/** Picks a field out of JSON. What has no such field, as a refusal, must not become its value. */
const PICKS = /\bsed (?!-n )/u;
/** Of a request the refusal is shown, too; the command line shows its own. */
const SHOWS = /w \/dev\/stderr/u;

it.each(pages)("%s shows a refusal where it picks a field of an answer", (page) => {
  const picking = commandsIn(page).filter((command) => command.includes("sed "));
  expect(picking.filter((command) => PICKS.test(command))).toEqual([]);
  expect(picking.filter((command) => command.includes("curl ") && !SHOWS.test(command))).toEqual([]);
});

it("the guide installs no package that is not published", () => {
  const installed = globSync("docs/guide/*.md")
    .flatMap(commandsIn)
    .filter((command) => /npm (?:install|i) .*@agent-workspace|npx @agent-workspace/u.test(command));
  expect(installed).toEqual([]);
});
