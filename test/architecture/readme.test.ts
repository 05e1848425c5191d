import { existsSync, readFileSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";

const readme = readFileSync("README.md", "utf8");

const IGNORED: readonly string[] = readFileSync(".gitignore", "utf8").split("\n");

/** The folders of the repository. Other folders that begin with a dot are those of a person's tools. */
const FOLDERS = readdirSync(".", { withFileTypes: true })
  .filter(
    (entry) => entry.isDirectory() && !IGNORED.includes(entry.name) && !IGNORED.includes(`/${entry.name}`),
  )
  .map(({ name }) => name)
  .filter((name) => name === ".ci" || !name.startsWith("."));

/** The text of a section, down to the next heading of its level. */
const section = (title: string): string => readme.split(`## ${title}\n`)[1]?.split("\n## ")[0] ?? "";

describe("the README", () => {
  it.each(FOLDERS)("describes the folder %s", (folder) => {
    expect(section("How it is built")).toMatch(new RegExp(`^${folder.replaceAll(".", "\\.")}/`, "mu"));
  });

  it('answers each "Where is …?" with a path that exists', () => {
    const paths = Array.from(
      section("Where is …?").matchAll(/\| `(?<path>[^`]+)`\s*\|$/gmu),
      (match) => match[1],
    );
    expect(paths.length).toBeGreaterThanOrEqual(30);
    expect(paths.filter((path) => path === undefined || !existsSync(path))).toEqual([]);
  });
});
