import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { fragmentOf } from "#local/guide/render.ts";

const pages = globSync(["*.md", "docs/**/*.md"]);

/** Addresses of a page's links that lead into the repository. */
function linksIn(page: string): string[] {
  const prose = readFileSync(page, "utf8").replaceAll(/```[\s\S]*?```/gu, "");
  const targets = Array.from(
    prose.matchAll(/\]\((?<target>[^)\s]+)\)/gu),
    ({ groups }) => groups?.["target"],
  );
  return targets.filter((target): target is string => target !== undefined && !/^[a-z]+:/u.test(target));
}

/** The fragments of a page's headings, as GitHub makes them. */
function fragmentsOf(page: string): string[] {
  return Array.from(readFileSync(page, "utf8").matchAll(/^#+ (?<title>.+)$/gmu), ({ groups }) =>
    fragmentOf(groups?.["title"] ?? ""),
  );
}

function leadsNowhere(page: string, target: string): boolean {
  const [file = "", fragment] = target.split("#");
  const linked = file === "" ? page : path.join(path.dirname(page), file);
  return !existsSync(linked) || (fragment !== undefined && !fragmentsOf(linked).includes(fragment));
}

it("finds the pages and their links", () => {
  expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/configuration.md"]));
  expect(linksIn("README.md").length).toBeGreaterThan(10);
});

it.each(pages)("%s links to files and headings that exist", (page) => {
  expect(linksIn(page).filter((target) => leadsNowhere(page, target))).toEqual([]);
});
